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
    """What was found of one session; docs/log.md says what each verdict means.

    `seq` and `what` are the first place that does not fit. `checkpoint` is the newest one that covers a part of the session,
    up to `anchored_seq`; `head_seq` and `head_hash` are the end of the chain as it was read.
    """

    verdict: str
    events: int
    erased: int = 0
    seq: int | None = None
    what: str = ""
    checkpoint: int | None = None
    anchored_seq: int = 0
    head_seq: int = 0
    head_hash: bytes = bytes(32)

    @property
    def is_verified(self) -> bool:
        """Nothing contradicts the record. Whether a checkpoint vouches for it as well is `is_anchored`."""
        return self.verdict in ("verified", "unanchored")

    @property
    def is_anchored(self) -> bool:
        return self.verdict == "verified"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that does not fit. No session: it is the log's own, for instance a checkpoint."""

    verdict: str
    what: str
    session_id: UUID | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class LogFindings:
    """What a verification of the log found. `sessions` are those that were looked at, `unanchored` those without checkpoint."""

    verdict: str
    sessions: int
    events: int
    erased: int
    unanchored: int
    checkpoints: int
    faults: tuple[Fault, ...]
    results: dict[UUID, Verification]
    at: datetime
    seconds: float

    @property
    def is_verified(self) -> bool:
        return not self.faults


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure removed, and the event that says so."""

    redaction_seq: int
    payloads: int
    artifacts: int
