"""What the services of this app give back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contextapp.engine.request.neutral import ModelRequest


@dataclass(frozen=True, slots=True)
class Indexed:
    """What one run of the index did; all counts are of this run."""

    session_id: UUID
    from_seq: int
    to_seq: int
    turns: int
    steps: int
    ledgers: int


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """A build for a live agent, committed. `request` is None exactly when the verdict is context_overflow."""

    session_id: UUID
    step: int
    turn: int
    verdict: str
    request: ModelRequest | None
    request_sha256: str
    ledger_id: int
    ledger: Mapping[str, Any]  # docs/ledger.md
    overflow: Mapping[str, Any] | None
    compaction: Mapping[str, Any] | None  # of an overflow: whether a summary was tried, and if not why
    is_repeated: bool  # this build_id had been built before


@dataclass(frozen=True, slots=True)
class Simulated:
    """`ledger_id` is None when there was nothing to build for; `message` then says why and what to do."""

    step: int
    ledger_id: int | None
    verdict: str
    request_sha256: str
    message: str


@dataclass(frozen=True, slots=True)
class Reproduction:
    """difference: engine, tokenizer, erased, ranking or inputs; `detail` says which. With the same bytes it is empty, or
    ranking: the same request from records that would rank otherwise."""

    same_bytes: bool
    difference: str
    detail: str
    request: ModelRequest | None
