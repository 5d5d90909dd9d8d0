"""What goes into the log and what comes back. Values only; nothing here touches storage."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

VISIBILITIES = ("model", "ui", "audit")


@dataclass(frozen=True, slots=True)
class Draft:
    """An event as its writer hands it over. `occurred_at` is the writer's claim; the log adds its own time and place."""

    event_id: UUID
    type: str
    payload: dict[str, Any]  # a JSON object: its shape is the writer's
    occurred_at: datetime | None = None
    visibility: str = "model"
    schema_version: int = 1


@dataclass(frozen=True, slots=True)
class Stored:
    seq: int
    duplicate: bool


@dataclass(frozen=True, slots=True)
class AppendResult:
    """One `Stored` per draft, in order. An empty batch has no first and last: both are 0."""

    first_seq: int
    last_seq: int
    results: tuple[Stored, ...]
    head_seq: int


@dataclass(frozen=True, slots=True)
class Verification:
    """`verified`, or `tampered` with the first place that does not fit: `seq` and what is wrong there."""

    verdict: str
    events: int
    erased: int = 0
    seq: int | None = None
    what: str = ""

    @property
    def is_verified(self) -> bool:
        return self.verdict == "verified"


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure removed, and the event that says so."""

    redaction_seq: int
    payloads: int
    artifacts: int
