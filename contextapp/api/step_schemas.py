"""Bodies about steps that the API takes and gives. Requests are strict; a ledger has the form of docs/ledger.md."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from contextapp.api import examples
from contextapp.api.cursors import Origin, StepNumber
from contextapp.api.examples import shown
from contextapp.api.fields import Strict, Text, Uuid
from contextapp.api.schemas import Name

Format = Literal["neutral", "openai", "responses", "anthropic", "workbench"]


class StepIn(Strict):
    """A build to make. The same `build_id` gives the same request again."""

    model_config = shown(examples.STEP_IN)

    build_id: Uuid
    model: Name = ""
    format: Format = "neutral"


class LedgerOut(BaseModel):
    """docs/ledger.md lists what else is here."""

    model_config = ConfigDict(extra="allow", **shown(examples.LEDGER_OUT))

    session: UUID
    turn: int
    step: int
    origin: Origin
    verdict: str
    included: list[dict[str, Any]]  # rows of docs/ledger.md
    excluded: list[dict[str, Any]]  # rows of docs/ledger.md


class BuiltOut(BaseModel):
    """`request` has the form that was asked for; `ledger` is that of docs/ledger.md."""

    model_config = shown(examples.BUILT_OUT)

    step: int
    turn: int
    build_id: UUID
    request_sha256: str
    format: Format
    request: dict[str, Any]  # the body of that provider's call; neutral: blocks in order; workbench: text
    ledger: dict[str, Any]  # docs/ledger.md


class StepOut(BaseModel):
    model_config = shown(examples.STEP_OUT)

    number: int
    turn: int
    log_seq: int
    first_seq: int | None
    last_seq: int | None
    model: str
    phase: str
    marks: list[str]
    origins: list[str]


class StepsOut(BaseModel):
    model_config = shown(examples.STEPS_OUT)

    steps: list[StepOut]
    next_after: int | None
    total: int


class DiffQuery(BaseModel):
    """`with`: the step to compare with, by default the one before; `with_origin`: the ledger of the other side."""

    other: Annotated[StepNumber | None, Field(alias="with")] = None
    origin: Origin | None = None
    with_origin: Origin | None = None


class ChangeOut(BaseModel):
    """A source on both sides; `before` or `after` is null where it is no source of that step."""

    source_id: str
    title: str
    token_delta: int
    before: dict[str, Any] | None  # a row of docs/ledger.md
    after: dict[str, Any] | None  # a row of docs/ledger.md


class BucketChangeOut(BaseModel):
    bucket: str
    used_before: int
    used_after: int


class DiffOut(BaseModel):
    """From the earlier to the later step. `first_changed_token`: how many tokens at the start are the same bytes; null
    where no bytes are recorded (observed)."""

    model_config = shown(examples.DIFF_OUT)

    step: int
    other: int
    origin: Origin
    other_origin: Origin
    added: list[ChangeOut]
    removed: list[ChangeOut]
    changed: list[ChangeOut]
    moved: list[ChangeOut]
    unchanged: int
    total_before: int
    total_after: int
    token_delta: int
    first_changed_token: int | None
    buckets: list[BucketChangeOut]
    message: str


class RequestOut(BaseModel):
    """`same_bytes`: made again from the recorded inputs, it came out the same; else `difference` names what differs."""

    model_config = shown(examples.REQUEST_OUT)

    step: int
    origin: Origin
    format: Format
    request_sha256: str
    recorded_sha256: str
    same_bytes: bool
    difference: Literal["", "engine", "tokenizer", "erased", "ranking", "inputs", "stored_bytes"]
    detail: str
    request: dict[str, Any]  # as in BuiltOut


class VerdictOut(BaseModel):
    """docs/log.md says what each verdict means. `seq` and `what` are the first place that does not fit."""

    model_config = shown(examples.VERDICT_OUT)

    verdict: Literal["verified", "tampered", "diverged", "unanchored"]
    events: int
    erased: int
    seq: int | None
    what: str
    checkpoint: int | None
    anchored_seq: int
    head_seq: int
    head_hash: str


class WhyQuery(BaseModel):
    """Exactly one of `text` and `source`."""

    text: Annotated[Text, Field(max_length=2000)] = ""
    source: Annotated[Text, Field(max_length=1000)] = ""
    step: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    origin: Origin | None = None
    ignore_case: bool = False
    after: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    limit: Annotated[int, Field(ge=1, le=2000)] = 500


class FateOut(BaseModel):
    """`row` is that of the first step of the run, as in docs/ledger.md; `sentence` is its reason in words."""

    action: str
    mode: str
    reason: str
    sentence: str
    displaced_by: str
    row: dict[str, Any]  # docs/ledger.md


class FateRunOut(BaseModel):
    """`not_yet`: the log of the step ends before the text; `no_row`: no row of its ledger covers it."""

    first_step: int
    last_step: int
    status: Literal["rows", "not_yet", "no_row"]
    fates: list[FateOut]


class WhyOut(BaseModel):
    """`seqs` are the first events that hold the text, `total_events` how many do."""

    model_config = shown(examples.WHY_OUT)

    origin: Origin
    seqs: list[int]
    total_events: int
    runs: list[FateRunOut]
    step_count: int
    next_after: int | None
