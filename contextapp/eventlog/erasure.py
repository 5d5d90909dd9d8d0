"""Where the rooms above say how to remove what they derived from a session. Filled when they start, read by erasure."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

_purges: list[Callable[[UUID], None]] = []


def register(purge: Callable[[UUID], None]) -> None:
    """`purge(session_id)` deletes every derived row that holds content of the session, in the caller's transaction."""
    if purge not in _purges:
        _purges.append(purge)


def purge_derived(session_id: UUID) -> None:
    for purge in _purges:
        purge(session_id)
