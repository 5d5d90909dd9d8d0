"""Where a span belongs: its conversation by id, session or trace, and its agent. Ids of another writer never become part of a
key as they are when they are long or unprintable."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.identity import safe_key
from contextapp.importers.otlp.attributes import text
from contextapp.importers.otlp.values import Span

FORMAT_NAME = "otlp"
_CONVERSATION = (
    "gen_ai.conversation.id", "session.id", "langfuse.session.id", "traceloop.association.properties.session_id",
    "ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.threadId",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """`is_named` is false when nothing but the trace says what belongs together."""

    key: str
    agent: str
    agent_version: str
    is_named: bool


def place_of(span: Span, conversation_of_trace: str = "") -> Place:
    """`conversation_of_trace` is the key that another span of the same trace named."""
    agent = text(span.attributes, "gen_ai.agent.name", "agent.name", "gen_ai.agent.id")
    service, version = text(span.resource, "service.name"), text(span.resource, "service.version")
    named = text(span.attributes, *_CONVERSATION) or text(span.resource, *_CONVERSATION[:2])
    if named:
        key = f"{FORMAT_NAME}:conversation:{_part(named)}"
    elif conversation_of_trace:
        key = conversation_of_trace
    elif span.trace_id.strip("0"):
        key = f"{FORMAT_NAME}:trace:{span.trace_id}"
    elif instance := text(span.resource, "service.instance.id"):
        key = f"{FORMAT_NAME}:instance:{_part(instance)}"
    else:
        detail = "no session.id, gen_ai.conversation.id, trace or service.instance.id says which run this is"
        raise UnfitLine("no_session", field="session.id", detail=detail)
    return Place(key, agent or service, version, bool(named))


def _part(native: str) -> str:
    """A native id as one part of a key; the slash stands before a thread alone."""
    return safe_key(native).replace("%", "%25").replace("/", "%2F")


def thread_key(key: str, chain: str) -> str:
    return f"{key}/thread-{chain[:16]}"


def origin(span: Span) -> Json:
    found = {"name": span.name, "trace_id": span.trace_id, "span_id": span.span_id, "parent_id": span.parent_id}
    times = {"start_ns": str(span.start_ns) if span.start_ns else "", "end_ns": str(span.end_ns) if span.end_ns else ""}
    return {name: value for name, value in {**found, **times}.items() if value}
