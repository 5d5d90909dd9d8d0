"""Everything one build reads, and what it gives back. Nothing else enters a build: no clock, no disk, no global."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from contextapp.engine.events import Event
from contextapp.engine.ledger import Ledger
from contextapp.engine.projection.state import SessionState
from contextapp.engine.request.neutral import ModelRequest
from contextapp.engine.values import Trust, Verdict


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What is known of a model. `window_tokens` None means unknown: a build then raises UnknownWindow."""

    model: str
    window_tokens: int | None
    output_limit_tokens: int | None = None
    supports_tools: bool = True
    tokenizer: str = "o200k_base"
    factor: float = 1.0  # calibrated billed/estimated, upper quantile; 1.0 for an exact tokenizer
    calibration: int = 0  # its version; 0: none


@dataclass(frozen=True, slots=True)
class MemoryRevision:
    """A memory record as the shell found it in scope of the project; the engine applies every other gate itself."""

    reference: str  # mem_<lineage>@<revision>
    state: str
    kind: str
    scope: str
    scope_key: str
    claim: str
    source: str
    confidence: float
    valid_from: str | None = None  # ISO instants
    valid_until: str | None = None
    last_verified_at: str | None = None
    trust: str = Trust.FACT.value  # the lowest of what it was made from; untrusted never enters
    similarity: float | None = (
        None  # to what is asked, 0 to 1, where the shell embeds; stored, so that replay ranks the same
    )
    conflict_key: str = ""  # what two records speak of that can't both hold; empty: nothing


@dataclass(frozen=True, slots=True)
class BuildInputs:
    """`state` is the fold of the log up to `state.seq`; `events` the tail (at most four windows of it, in order, ending at
    state.seq) and `indexed` the events named by `state.indexed_seqs()` that lie before the tail."""

    project_id: str
    session_id: str
    step: int
    turn: int
    state: SessionState
    events: tuple[Event, ...]
    indexed: tuple[Event, ...] = ()
    memory: tuple[MemoryRevision, ...] = ()
    profile: ModelProfile = field(default_factory=lambda: ModelProfile("", None))
    fence_secret: bytes = b""
    as_of: str = ""  # ISO instant
    previous_blocks: tuple[tuple[str, int], ...] = ()  # (digest, tokens) of the previous step's request
    workspace_root: str = ""
    user: str = ""  # whose session it is; empty: memory of scope `user` stays out


@dataclass(frozen=True, slots=True)
class WayOut:
    """One way to make an overflowing build fit, with its price in tokens."""

    action: str  # e.g. compact_history, raise_bucket, shorten_instructions, larger_window
    bucket: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Overflow:
    """Why a build does not fit. `kind` is bucket_full (free elsewhere: `free_tokens`) or window_full."""

    kind: str
    bucket: str
    required_tokens: int
    available_tokens: int
    floor_tokens: int
    free_tokens: int
    ways_out: tuple[WayOut, ...]
    sources: tuple[str, ...] = ()  # the guilty ones, weakest first


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build. `request` is None exactly when the verdict is context_overflow."""

    verdict: Verdict
    request: ModelRequest | None
    ledger: Ledger
    header: Mapping[str, object]  # the context.built payload of DESIGN section 4
    inputs_sha256: str
    request_sha256: str
    overflow: Overflow | None = None
