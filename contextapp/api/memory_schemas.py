"""Bodies of the memory operations. A proposal can't say who it comes from or how far it is trusted."""

from __future__ import annotations

from typing import Annotated, Any, Literal

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


class MemoryQuery(BaseModel):
    cursor: Annotated[Text, Field(max_length=400)] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    state: State | None = None
    kind: Kind | None = None
    scope: MemoryScopeName | None = None
    source: Annotated[Text, Field(max_length=300)] = ""


class MemoriesOut(BaseModel):
    """Newest first; each as `export` has it, without its evidence."""

    model_config = shown(examples.MEMORIES_OUT)

    records: list[Json]
    next_cursor: str | None


class MemoryOut(BaseModel):
    model_config = shown(examples.MEMORY_OUT)

    record: Json
    revisions: list[Json]
    evidence: list[Json]
    transitions: list[Json]
    uses: list[Json]


class DecisionIn(Strict):
    """What was on the screen, and the decision on exactly that."""

    model_config = shown(examples.DECISION_IN)

    action: Literal["approve", "reject", "quarantine", "release", "revoke", "verify"]
    version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    shown_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    evidence_opened: bool = False
    reason_code: Annotated[Text, Field(max_length=20)] = ""
    note: Annotated[Text, Field(max_length=500)] = ""
    supersede: Annotated[int, Field(ge=1, le=2**62)] | None = None
    valid_until: Instant | None = None


class DecidedOut(BaseModel):
    model_config = shown(examples.DECIDED_OUT)

    record: Json
