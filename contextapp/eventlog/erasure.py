"""Where the rooms above say how to remove what they derived from a session. Filled when they start, read by erasure."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

Purge = Callable[[UUID, int, int | None], None]

_purges: list[Purge] = []


def register(purge: Purge) -> None:
    """`purge(session_id, first_seq, last_seq)` removes every derived content of these events, in the caller's transaction.
    `last_seq` None: the whole session goes, and with it whatever names it."""
    if purge not in _purges:
        _purges.append(purge)


def purge_derived(session_id: UUID, first_seq: int = 1, last_seq: int | None = None) -> None:
    for purge in _purges:
        purge(session_id, first_seq, last_seq)
