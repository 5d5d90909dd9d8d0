"""One finding in a memory text. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

HARD = 100  # enough for quarantine, whatever the source
FLAG = 0  # shown to the reviewer, and no reason alone


@dataclass(frozen=True, slots=True)
class Detection:
    """`id` is that of docs/memory.md (D01..); start and end are places in the view named by `view`."""

    id: str
    weight: int
    start: int
    end: int
    view: str = "text"

    @property
    def is_hard(self) -> bool:
        return self.weight >= HARD

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "weight": self.weight, "start": self.start, "end": self.end, "view": self.view}
