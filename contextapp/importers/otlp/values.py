"""What OTLP says, as values: spans and log records, and the model calls, tool runs and retrievals in them. Decides nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from contextapp.importers.contract import Json

_YEAR_1970, _YEAR_2100 = 0, 4_102_444_800 * 10**9


@dataclass(frozen=True, slots=True)
class Span:
    """One span or one log record. Ids are lower-case hex; a record without a trace has empty ones and a name of its own."""

    name: str
    trace_id: str
    span_id: str
    attributes: Json
    resource: Json = field(default_factory=dict)
    parent_id: str = ""
    start_ns: int = 0
    end_ns: int = 0
    failed: bool = False
    message: str = ""  # of the status
    events: tuple[tuple[str, Json], ...] = ()
    body: Any = None  # of a log record: any value

    @property
    def identity(self) -> str:
        return f"{self.trace_id}:{self.span_id}"


@dataclass(frozen=True, slots=True)
class ToolCall:
    call_id: str
    name: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request or an answer, whatever its writer called the parts. A result is a message of its own."""

    role: str  # system, user, assistant, tool
    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    media: tuple[Json, ...] = ()
    call_id: str = ""
    name: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One exact request and what came of it. Without `messages` the writer did not record the request's content."""

    messages: tuple[Message, ...] | None
    output: tuple[Message, ...] = ()
    instructions: tuple[str, ...] = ()
    tools: tuple[Json, ...] | None = None
    model: str = ""
    usage: Json | None = None
    response_id: str = ""
    error: str = ""
    dialect: str = ""
    is_answer_only: bool = False  # a logged response body: it answers the request before it


@dataclass(frozen=True, slots=True)
class ToolRun:
    call_id: str
    name: str
    arguments: Json
    result: str
    is_error: bool = False
    has_result: bool = True


@dataclass(frozen=True, slots=True)
class Retrieval:
    query: str
    chunks: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """A span of an agent that is neither: kept with its attributes."""

    kind: str


Reading = ModelCall | ToolRun | Retrieval | Other


def moment_of(nanoseconds: int) -> datetime | None:
    """A claimed time; one that is missing or out of all years is none."""
    if not _YEAR_1970 < nanoseconds < _YEAR_2100:
        return None
    return datetime.fromtimestamp(nanoseconds // 1000 / 1_000_000, UTC)
