"""A step and its ledger as pages show them: groups of rows, what the model saw, comparison and state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from contextapp.contexts.values.sessions import SessionPage
from contextapp.contexts.values.transcript import EventPiece, Preview
from contextapp.engine.ledger import Row
from contextapp.engine.projection.state import SessionState


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider reported for one call. quality: exact, placeholder, cumulative."""

    input_uncached: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    quality: str

    @property
    def billed_input(self) -> int:
        return self.input_uncached + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A row as the page shows it. `key` is its anchor, unique in the ledger and the same at every step for one source."""

    key: str
    row: Row
    sign: str  # ■ ◧ ▨ ▢ ×
    share_percent: float  # of the ledger's total; 0 for excluded rows


@dataclass(frozen=True, slots=True)
class BucketGroup:
    """`used` counts every row of the bucket, shown or not; `hidden` says how many rows the filter holds back."""

    bucket: str
    allotted: int
    used: int
    rows: tuple[LedgerRow, ...]
    hidden: int


@dataclass(frozen=True, slots=True)
class Facet:
    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Residue:
    """Billed input of an observed step and what of it no source explains. None figures: the provider reported none."""

    billed: int | None
    preamble: int
    correction: int
    unexplained: int

    @property
    def not_in_file(self) -> int:
        return self.preamble + max(self.unexplained, 0)


@dataclass(frozen=True, slots=True)
class LedgerView:
    """One ledger, filtered. `sum_difference` is total minus (rows + overhead + margin): 0, or the page says so."""

    ledger_id: int
    origin: str
    verdict: str
    policy_number: int
    engine_version: str
    tokenizer: str
    method: str  # exact, estimated
    calibration: int
    window_tokens: int | None
    total_tokens: int
    request_tokens: int  # total without reserve
    reserve_tokens: int
    floor_tokens: int
    overhead_tokens: int
    margin_tokens: int
    cached_prefix_tokens: int
    residue: Residue | None
    groups: tuple[BucketGroup, ...]
    included_count: int
    excluded_count: int
    shown_count: int
    reasons: tuple[Facet, ...]
    trusts: tuple[Facet, ...]
    kinds: tuple[Facet, ...]
    sum_difference: int
    request_sha256: str
    inputs_sha256: str
    overflow: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class StepPage:
    """`ledger` is None when there is none of this origin; `message` then says why and what to do."""

    session: SessionPage
    step_id: int
    number: int
    turn: int
    phase: str
    model: str
    log_seq: int
    first_seq: int | None
    last_seq: int | None
    started_at: datetime | None
    marks: tuple[str, ...]
    usage: Usage | None
    previous: int | None
    next: int | None
    origin: str
    origins: tuple[str, ...]
    ledger: LedgerView | None
    message: str


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    """What the ledger page shows; empty sets mean everything."""

    included: bool = True
    excluded: bool = True
    reasons: frozenset[str] = frozenset()
    trusts: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    text: str = ""


@dataclass(frozen=True, slots=True)
class SawBlock:
    position: int
    role: str  # system, user, assistant, tool
    part: str
    trust: str
    title: str
    body: Preview
    tokens: int
    source_id: str
    events: tuple[int, int] | None
    calls: tuple[tuple[str, str, str], ...]  # (id, name, arguments)
    tools: tuple[str, ...]  # names, for the tools block
    digest: str


@dataclass(frozen=True, slots=True)
class Saw:
    """What the model saw, in order. check: same_bytes, different, recorded (built, stored blocks), rebuilt_from_transcript
    (observed), unavailable. `message` is filled for different and unavailable."""

    origin: str
    blocks: tuple[SawBlock, ...]
    total_blocks: int
    check: str
    message: str
    not_in_file_tokens: int | None
    request_sha256: str


@dataclass(frozen=True, slots=True)
class RowDetail:
    """A row opened in place: the events it came from (the first few of `total_events`) and what displaced it."""

    row: LedgerRow
    pieces: tuple[EventPiece, ...]
    total_events: int
    displaced_by: LedgerRow | None


@dataclass(frozen=True, slots=True)
class RowChange:
    before: LedgerRow | None  # None: not a source of the other step
    after: LedgerRow | None

    @property
    def title(self) -> str:
        """Of the source, as the earlier step named it; its kind where it has no name."""
        named = [shown.row for shown in (self.before, self.after) if shown is not None]
        return next((row.title for row in named if row.title), named[0].source_kind)

    @property
    def token_change(self) -> int:
        was = self.before.row.after_tokens if self.before else 0
        now = self.after.row.after_tokens if self.after else 0
        return now - was


@dataclass(frozen=True, slots=True)
class Comparison:
    """`other` is the earlier step. entered, left and changed are about the request, not about the list of candidates."""

    step: int
    other: int
    origin: str
    entered: tuple[RowChange, ...]
    left: tuple[RowChange, ...]
    changed: tuple[RowChange, ...]
    unchanged_count: int
    total_before: int
    total_after: int
    buckets: tuple[tuple[str, int, int], ...]  # (bucket, used before, used after)
    message: str = ""
    same_prefix_tokens: int | None = (
        None  # how many tokens at the start are the same bytes; None: no bytes are recorded
    )
    other_origin: str = ""  # where it is not that of `origin`


@dataclass(frozen=True, slots=True)
class StateView:
    """The fold at the step's log prefix, with how far the prefix goes."""

    step: int
    log_seq: int
    state: SessionState
