"""The copied beginning of a fork: its parent's history, written again with new times. Tells where it ends; drops nothing."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from contextapp.importers.codex.envelope import Envelope

# A copy is written in one go; before turns had ids, the first pause is its end.
_PAUSE = timedelta(seconds=0.5)


class Replay:
    """Fed with every record in order. A turn's id is made when it begins, so a turn older than the fork is a copied one."""

    def __init__(self, own_id: str, *, is_fork: bool) -> None:
        self._born = _moment_of(own_id)
        self._goes_on = is_fork
        self._has_turns = False
        self._is_first = True
        self._previous: datetime | None = None

    def holds(self, envelope: Envelope, *, is_other_head: bool) -> bool:
        """Whether this record is a copy. The head of another session right behind the own one makes a file a fork."""
        self._goes_on = self._goes_on or (self._is_first and is_other_head)
        self._is_first = False
        if self._goes_on and self._ends_before(envelope):
            self._goes_on = False
        self._previous = envelope.at or self._previous
        return self._goes_on

    def _ends_before(self, envelope: Envelope) -> bool:
        began = _moment_of(envelope.turn_id)
        if began is not None and self._born is not None:
            self._has_turns = True
            return began >= self._born
        if self._has_turns or envelope.at is None or self._previous is None:
            return False
        return envelope.at - self._previous > _PAUSE


def _moment_of(identity: str) -> int | None:
    """The milliseconds in a UUID of version 7."""
    try:
        found = uuid.UUID(identity)
    except ValueError:
        return None
    return found.int >> 80 if found.version == 7 else None
