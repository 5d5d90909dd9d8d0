"""Follows a session as it grows: events that are there at once, or the first that come while the request waits."""

from __future__ import annotations

import time
from uuid import UUID

from django.db import connection

from contextapp.engine.events import Event
from contextapp.eventlog import selectors as log
from contextapp.eventlog.waiting import WAITERS


def read(session_id: UUID, *, after: int, limit: int, wait_seconds: int) -> tuple[list[Event], bool]:
    """(events, whether the request was not let wait). While it waits it holds no database connection."""
    found = log.get_events(session_id, after_seq=after, limit=limit)
    if found or not wait_seconds:
        return found, False
    until = time.monotonic() + wait_seconds
    with WAITERS.place(session_id) as place:
        if place is None:
            return [], True
        while not found:
            found = log.get_events(session_id, after_seq=after, limit=limit)  # also what came before we had a place
            left = until - time.monotonic()
            if found or left <= 0:
                break
            if not connection.in_atomic_block:
                connection.close()  # back to the pool; waiting needs none
            place.wait(left)
    return found, False
