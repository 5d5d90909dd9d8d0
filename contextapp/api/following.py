"""Follows a session as it grows: events that are there at once, or the first that come while the request waits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from contextapp.engine.events import Event
from contextapp.eventlog import selectors as log
from contextapp.eventlog.waiting import WAITERS


@dataclass(frozen=True, slots=True)
class Found:
    """`head_seq`: where the log ended when it was read. All that is wanted up to there is here, unless the limit cut it."""

    events: list[Event]
    head_seq: int
    was_let_wait: bool = True


def read(session_id: UUID, *, after: int, limit: int, wait_seconds: int, types: Sequence[str] = ()) -> Found:
    """Events of other types than `types` wake nobody for long: the wait goes on, past them. It holds no database connection."""
    found = _look(session_id, after, limit, types)
    if found.events or not wait_seconds:
        return found
    until = time.monotonic() + wait_seconds
    with WAITERS.place(session_id) as place:
        if place is None:
            return Found([], found.head_seq, was_let_wait=False)
        while True:
            found = _look(session_id, max(after, found.head_seq), limit, types)  # also what came before we had a place
            left = until - time.monotonic()
            if found.events or left <= 0:
                return found
            if not connection.in_atomic_block:
                connection.close()  # back to the pool; waiting needs none
            place.wait(left)


def _look(session_id: UUID, after: int, limit: int, types: Sequence[str]) -> Found:
    """The head first, and no event behind it: else one could be skipped that came between the two reads."""
    head = log.head_seq(session_id)
    return Found(log.get_events(session_id, after_seq=after, upto_seq=head, limit=limit, types=types), head)
