"""The head of a session, its chart and its turns as pages show them. Frozen; nothing is loaded lazily behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SessionLink:
    id: UUID
    title: str
    agent: str
    step_count: int


@dataclass(frozen=True, slots=True)
class SessionPage:
    """The head of a session. `origins` are those that have at least one ledger; `default_origin` is what opens."""

    id: UUID
    project_slug: str
    title: str
    origin: str  # api, import or sample
    agent: str
    agent_version: str
    model: str
    window_tokens: int | None
    workspace: str
    workspace_root: str
    started_at: datetime | None
    ended_at: datetime | None
    created_at: datetime
    event_count: int
    turn_count: int
    step_count: int
    compaction_count: int
    overflow_count: int
    denial_count: int
    error_count: int
    quarantine_count: int
    indexed_seq: int
    head_seq: int
    parent: SessionLink | None
    children: tuple[SessionLink, ...]
    guide: Mapping[str, object] | None
    origins: tuple[str, ...]
    default_origin: str  # observed, built or simulated
    erased_at: datetime | None

    @property
    def is_indexed(self) -> bool:
        return self.indexed_seq >= self.head_seq


@dataclass(frozen=True, slots=True)
class ChartStep:
    """One column of the chart. `segments` are tokens per bucket in drawing order, without reserve; what the record does not
    explain stands in `preamble`, `correction`, `unexplained`; `overhead` is the frame. They add up to `total_tokens`."""

    number: int
    turn: int
    total_tokens: int  # without reserve; billed input for observed steps that carry usage
    segments: tuple[tuple[str, int], ...]
    reserve_tokens: int
    overhead: int
    preamble: int
    correction: int
    unexplained: int
    marks: tuple[str, ...]  # compaction, overflow, denial, injection, error
    model: str
    verdict: str  # ok, context_overflow, or empty when this origin has no ledger of the step
    simulated_tokens: int | None  # for the thin line; None: not computed


@dataclass(frozen=True, slots=True)
class ChartTurn:
    number: int
    title: str
    first_step: int
    last_step: int


@dataclass(frozen=True, slots=True)
class Chart:
    origin: str
    window_tokens: int | None
    peak_tokens: int
    steps: tuple[ChartStep, ...]
    turns: tuple[ChartTurn, ...]


@dataclass(frozen=True, slots=True)
class StepLink:
    number: int
    turn: int
    model: str
    phase: str
    total_tokens: int | None
    marks: tuple[str, ...]
    output_tokens: int | None


@dataclass(frozen=True, slots=True)
class ReasonSum:
    """One reason over several ledgers. `before_tokens` of excluded rows is what stayed out."""

    reason: str
    is_included: bool
    rows: int
    steps: int
    before_tokens: int
    after_tokens: int


@dataclass(frozen=True, slots=True)
class TurnPage:
    session: SessionPage
    number: int
    title: str
    started_at: datetime | None
    first_seq: int
    last_seq: int
    previous: int | None
    next: int | None
    chart: Chart
    steps: tuple[StepLink, ...]
    reasons: tuple[ReasonSum, ...]
    reasons_over: int  # how many ledgers they were added up over
    origin: str


@dataclass(frozen=True, slots=True)
class StepEntry:
    """A step in a list. `origins` are those of its ledgers."""

    number: int
    turn: int
    log_seq: int
    first_seq: int | None
    last_seq: int | None
    model: str
    phase: str
    marks: tuple[str, ...]
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepList:
    steps: tuple[StepEntry, ...]
    next_after: int | None
    total: int
