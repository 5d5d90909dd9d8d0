"""Bodies of the memory operations. A proposal can't say who it comes from or how far it is trusted."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from contextapp.api import memory_examples as examples
from contextapp.api.examples import shown
from contextapp.api.fields import Instant, Strict, Text, Uuid

Kind = Literal["preference", "fact", "decision", "todo", "constraint", "procedure", "state"]
MemoryScopeName = Literal["session", "directory", "workspace", "user", "global"]
State = Literal[
    "candidate", "quarantined", "approved", "suspended", "rejected", "superseded", "expired", "revoked", "lapsed",
    "redacted",
]  # fmt: skip
Json = dict[str, Any]  # a JSON object of the API


class EvidenceIn(Strict):
    """A span of an event's field; `end` 0 is the whole field."""

    session: Uuid
    seq: Annotated[int, Field(ge=1, le=2**62)]
    field: Annotated[Text, Field(max_length=60)] = ""
    start: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    end: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    relation: Literal["states", "supports", "contradicts", "derived_from"] = "states"


class ProposalIn(Strict):
    """A claim for people to decide on. The same `candidate_id` gives the same record again."""

    model_config = shown(examples.PROPOSAL_IN)

    candidate_id: Annotated[Text, Field(min_length=1, max_length=200)]
    claim: Annotated[Text, Field(min_length=1, max_length=2000)]
    kind: Kind
    scope: MemoryScopeName
    scope_key: Annotated[Text, Field(max_length=1000)] = ""
    source: Annotated[Text, Field(max_length=300)] = ""
    evidence: Annotated[list[EvidenceIn], Field(max_length=50)] = []
    basis: Literal["stated", "repeated", "inferred"] = "stated"
    model: Annotated[Text, Field(max_length=120)] = ""
    prompt_version: Annotated[Text, Field(max_length=60)] = ""
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    conflict_key: Annotated[Text, Field(max_length=200)] = ""
    value: Annotated[Text, Field(max_length=300)] = ""
    valid_from: Instant | None = None
    valid_until: Instant | None = None


class ProposedOut(BaseModel):
    """`declined_before`: people declined this claim; nothing was stored."""

    model_config = shown(examples.PROPOSED_OUT)

    outcome: Literal["created", "repeated", "evidence_added", "declined_before"]
    id: int | None
    reference: str | None
    state: State | None
    version: int | None
    findings: list[Json]
    evidence_checks: Json


class ExportQuery(BaseModel):
    """Which of the records; the approved ones unless a state is named."""

    state: State = "approved"
    kind: Kind | None = None


class MemoryQuery(BaseModel):
    cursor: Annotated[Text, Field(max_length=400)] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    state: State | None = None
    kind: Kind | None = None
    scope: MemoryScopeName | None = None
    source: Annotated[Text, Field(max_length=300)] = ""


class RecordOut(BaseModel):
    """A revision. `shown` is what a model gets; `needs_two` and `risk` say what its approval takes."""

    id: int
    reference: str
    lineage: UUID
    revision: int
    version: int
    state: State
    kind: Kind
    scope: MemoryScopeName
    scope_key: str
    claim: str
    shown: str
    shown_sha256: str
    language: str
    conflict_key: str
    value: str
    tokens: int
    source: str
    source_trust: str
    proposed_by: str
    proposer_kind: str
    proposer_model: str
    prompt_version: str
    proposed_session: str | None
    proposed_seq: int | None
    confidence: float
    confidence_basis: str
    model_confidence: float | None
    valid_from: str | None
    valid_until: str | None
    review_after: str | None
    last_verified_at: str | None
    detector_version: str
    verdict: str
    findings: list[Json]
    evidence_checks: Json
    risk: int
    needs_two: bool
    first_approved_by: str
    first_approved_at: str | None
    is_single_person: bool
    decided_by: str
    decided_at: str | None
    reason_code: str
    reason: str
    supersedes: str | None
    created_at: str
    changed_at: str


class EvidenceOut(BaseModel):
    session_id: str
    seq: int
    field: str
    start: int
    end: int
    quote_sha256: str | None
    relation: str
    trust: str
    added_at: str


class TransitionOut(BaseModel):
    """What a person did. The note of the first of two approvals is empty until the second."""

    version_seen: int
    shown_sha256: str
    reviewer: str
    verdict: str
    reason_code: str
    note: str
    ms_on_screen: int | None
    evidence_opened: bool
    at: str


class UseOut(BaseModel):
    """A step it entered, or why it did not."""

    session_id: UUID
    step: int
    origin: str
    is_included: bool
    reason: str
    detail: str
    tokens: int
    displaced_by: str
    at: datetime


class MemoriesOut(BaseModel):
    """Newest first; each as `export` has it, without its evidence."""

    model_config = shown(examples.MEMORIES_OUT)

    records: list[RecordOut]
    next_cursor: str | None


class MemoryOut(BaseModel):
    model_config = shown(examples.MEMORY_OUT)

    record: RecordOut
    revisions: list[RecordOut]
    evidence: list[EvidenceOut]
    transitions: list[TransitionOut]
    uses: list[UseOut]


class DecisionIn(Strict):
    """What was on the screen, and the decision on exactly that."""

    model_config = shown(examples.DECISION_IN)

    action: Literal["approve", "reject", "quarantine", "release", "revoke", "verify"]
    version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    shown_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    evidence_opened: bool = False
    ms_on_screen: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    sure: bool = False
    reason_code: Annotated[Text, Field(max_length=20)] = ""
    note: Annotated[Text, Field(max_length=500)] = ""
    supersede: Annotated[int, Field(ge=1, le=2**62)] | None = None
    valid_until: Instant | None = None


class DecidedOut(BaseModel):
    model_config = shown(examples.DECIDED_OUT)

    record: RecordOut
