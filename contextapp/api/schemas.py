"""Bodies that the API takes and gives, one class each. Requests are strict; answers hold no field that is not listed here."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.conf import settings
from pydantic import BaseModel, Field

from contextapp.api import examples
from contextapp.api.examples import shown
from contextapp.api.fields import EventType, FreeObject, Instant, Strict, Text, Uuid

Name = Annotated[Text, Field(max_length=120)]


class SessionIn(Strict):
    """A session to open. The same `external_id` gives the same session again."""

    model_config = shown(examples.SESSION_IN)

    external_id: Annotated[Text, Field(max_length=300)] = ""
    title: Annotated[Text, Field(max_length=300)] = ""
    agent: Annotated[Text, Field(max_length=60)] = ""
    agent_version: Annotated[Text, Field(max_length=60)] = ""
    model: Name = ""
    model_window_tokens: Annotated[int, Field(ge=256, le=100_000_000)] | None = None
    user: Annotated[Text, Field(max_length=200)] = ""
    workspace_root: Annotated[Text, Field(max_length=1000)] = ""
    parent_id: Uuid | None = None
    started_at: Instant | None = None


class SessionsQuery(BaseModel):
    """`workspace` is its root. A mark that is true asks for sessions that have at least one."""

    cursor: Annotated[Text, Field(max_length=400)] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    q: Annotated[Text, Field(max_length=300)] = ""
    agent: Annotated[Text, Field(max_length=60)] = ""
    model: Name = ""
    workspace: Annotated[Text, Field(max_length=1000)] = ""
    origin: Literal["api", "import", "sample"] | None = None
    status: Literal["open", "ended"] | None = None
    external_id: Annotated[Text, Field(max_length=300)] = ""
    since: Instant | None = None
    until: Instant | None = None
    overflow: bool = False
    compaction: bool = False
    denial: bool = False
    quarantine: bool = False
    error: bool = False


class SessionEntry(BaseModel):
    model_config = shown(examples.SESSION_ENTRY)

    id: UUID
    external_id: str
    title: str
    origin: str
    agent: str
    agent_version: str
    model: str
    model_window_tokens: int | None
    user: str
    started_at: datetime | None
    ended_at: datetime | None
    created_at: datetime
    turn_count: int
    step_count: int


class SessionOut(SessionEntry):
    model_config = shown(examples.SESSION_OUT)

    head_seq: int  # the place of the newest event


class SessionsOut(BaseModel):
    model_config = shown(examples.SESSIONS_OUT)

    sessions: list[SessionEntry]
    next_cursor: str | None
    total: int


class EndIn(Strict):
    model_config = shown(examples.END_IN)

    reason: Annotated[Text, Field(max_length=300)] = ""


class EventIn(Strict):
    model_config = shown(examples.EVENT_IN)

    event_id: Uuid
    type: EventType
    payload: FreeObject
    occurred_at: Instant | None = None
    visibility: Literal["model", "ui", "audit"] = "model"
    schema_version: Annotated[int, Field(ge=1, le=32_767)] = 1


class EventsIn(Strict):
    """A batch: all of it is stored, or none."""

    model_config = shown(examples.EVENTS_IN)

    events: Annotated[list[EventIn], Field(min_length=1, max_length=settings.API_BATCH_LIMIT)]
    expected_head: Annotated[int, Field(ge=0, le=2**62)] | None = None


class StoredOut(BaseModel):
    seq: int
    duplicate: bool


class AppendedOut(BaseModel):
    model_config = shown(examples.APPENDED_OUT)

    results: list[StoredOut]
    head_seq: int


class EventOut(BaseModel):
    model_config = shown(examples.EVENT_OUT)

    seq: int
    type: str
    event_id: str
    occurred_at: str | None
    visibility: str
    payload: Any  # as it was written, with secrets masked


class EventsOut(BaseModel):
    model_config = shown(examples.EVENTS_OUT)

    events: list[EventOut]
    next_after: int | None
    head_seq: int


class ArtifactOut(BaseModel):
    """`reference` is what an event's payload says under `artifact`."""

    model_config = shown(examples.ARTIFACT_OUT)

    sha256: str
    size_bytes: int
    media_type: str
    reference: dict[str, Any]  # sha256, size_bytes, media_type
