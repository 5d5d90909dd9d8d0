"""Runs a whole transaction again that the database ended in favour of another: a deadlock, a serialization failure.

Never a part of one: what a caller's own transaction holds would be lost without its knowing. Never anything else either:
whether a connection that broke had committed is for the writer to ask, with the same ids.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Sequence
from uuid import UUID

import psycopg
from django.db import OperationalError, connection

from contextapp.eventlog.services import writing
from contextapp.eventlog.values import AppendResult, Draft

log = logging.getLogger(__name__)

TRIES = 3
PAUSE_SECONDS = 0.05
_ENDED_FOR_ANOTHER = ("40P01", "40001")


def append(
    *,
    session_id: UUID,
    drafts: Sequence[Draft],
    actor: str,
    api_key_id: UUID | None = None,
    expected_seq: int | None = None,
) -> AppendResult:
    """Store the drafts in order, all or none. A draft that is there already keeps its seq and is named a duplicate, so that a
    second try stores nothing twice."""
    return in_full(
        lambda: writing.append(
            session_id=session_id, drafts=drafts, actor=actor, api_key_id=api_key_id, expected_seq=expected_seq
        )
    )


def in_full[T](work: Callable[[], T]) -> T:
    """`work` opens and ends its own transaction. At most three times; the last failure is raised."""
    for attempt in range(1, TRIES):
        try:
            return work()
        except OperationalError as error:
            if connection.in_atomic_block or not _was_ended_for_another(error):
                raise
            log.info("a transaction is tried again (%s of %s): %s", attempt + 1, TRIES, _state_of(error))
        time.sleep(PAUSE_SECONDS * attempt * (0.5 + random.random()))
    return work()


def _was_ended_for_another(error: OperationalError) -> bool:
    return _state_of(error) in _ENDED_FOR_ANOTHER


def _state_of(error: OperationalError) -> str | None:
    cause = error.__cause__
    return cause.sqlstate if isinstance(cause, psycopg.Error) else None
