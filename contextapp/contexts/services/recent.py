"""What this process keeps of a session between two builds, so that the next one reads and folds only what is new.

Never a source of truth: whoever takes an entry has to find the index still where it left it, and the session not erased.
Bounded by characters and by age; an entry belongs to whoever took it until it is given back.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from uuid import UUID

from contextapp.contexts.services.index import Run
from contextapp.contexts.tails import Tail

CHARS = 16_000_000  # of all sessions together
SESSION_CHARS = 8_000_000
SECONDS = 600.0  # after its last build


@dataclass(frozen=True, slots=True)
class Recent:
    """As the last build of this process left it: `step` is that build's, `blocks` those of its request."""

    run: Run
    tail: Tail
    step: int
    blocks: tuple[tuple[str, int], ...]


class _Store:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[UUID, tuple[Recent, int, float]] = OrderedDict()
        self._chars = 0

    def take(self, session_id: UUID) -> Recent | None:
        with self._lock:
            found = self._entries.pop(session_id, None)
            self._chars -= found[1] if found else 0
        return found[0] if found and time.monotonic() - found[2] < SECONDS else None

    def give(self, session_id: UUID, recent: Recent) -> None:
        chars, now = recent.tail.chars, time.monotonic()
        self.take(session_id)  # of a build of the same session beside this one
        with self._lock:
            if chars <= SESSION_CHARS:
                self._entries[session_id] = (recent, chars, now)
                self._chars += chars
            while self._entries and (self._chars > CHARS or now - next(iter(self._entries.values()))[2] >= SECONDS):
                self._chars -= self._entries.popitem(last=False)[1][1]


_store = _Store()


def take(session_id: UUID) -> Recent | None:
    """What is kept of the session; it is the caller's alone from here on."""
    return _store.take(session_id)


def give(session_id: UUID, recent: Recent) -> None:
    """After the commit of a build, and never otherwise: what a rolled back transaction left is not what the log holds."""
    _store.give(session_id, recent)


def forget(session_id: UUID) -> None:
    _store.take(session_id)
