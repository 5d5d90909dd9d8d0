"""A tool result as it may enter a request: its one-line summary, its text, and how much of how much that is."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.engine.reasons import Reason


@dataclass(frozen=True, slots=True)
class Observation:
    """`kind` is the tool family; `shown` of `total` in `unit`; `reason` is None exactly when `text` is the whole content."""

    kind: str
    summary: str
    text: str
    shown: int
    total: int
    unit: str  # lines, matches, entries, characters, bytes
    reason: Reason | None = None
    is_error: bool = False

    @property
    def is_whole(self) -> bool:
        return self.reason is None
