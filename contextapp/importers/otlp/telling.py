"""Readings to events: each request is compared with what the log has of its conversation, and only what is new is told. Knows
no storage; the same spans in the same order give the same events, and a span that was told gives none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from contextapp.engine import events
from contextapp.engine.observations.text import title_line
from contextapp.importers.contract import Json, ParsedEvent, SessionHead
from contextapp.importers.identity import Fact, content_hash
from contextapp.importers.otlp import chain, facts
from contextapp.importers.otlp.calls import CallTelling
from contextapp.importers.otlp.placing import FORMAT_NAME, Place, origin, place_of, thread_key
from contextapp.importers.otlp.stream import Log, Stream
from contextapp.importers.otlp.values import Message, ModelCall, Other, Reading, Retrieval, Span, ToolRun, moment_of


class Teller:
    """One delivery. Spans are taken in the order they began; what they come to waits in `streams`, by session."""

    def __init__(self, log: Log) -> None:
        self.streams: dict[str, Stream] = {}
        self._log = log
        self._sessions: dict[str, list[str]] = {}
        self._traces: dict[str, str] = {}

    def learn(self, spans: Sequence[Span]) -> None:
        """Which conversation a trace is of, from any of its spans: others may not say it."""
        for span in spans:
            place = place_of(span) if span.trace_id.strip("0") else None
            if place and place.is_named:
                self._traces.setdefault(span.trace_id, place.key)

    def take(self, span: Span, reading: Reading) -> tuple[Stream, Sequence[ParsedEvent]] | None:
        """The session that one span belongs to, and its events, which wait there now; None for a span that was told before.
        UnfitLine when nothing says whose it is."""
        place = place_of(span, self._trace(span.trace_id))
        sessions = self._known_sessions(place.key)
        identity = chain.event_id(place.key, "span", span.identity, span.name if not span.span_id.strip("0") else "")
        if not span.span_id.strip("0"):  # a log record has no id: its time and content are what it is
            identity = chain.event_id(
                place.key, "record", str(span.start_ns), content_hash([span.attributes, span.body])
            )
        if identity in self._holding(sessions, [identity]):
            return None
        if isinstance(reading, ModelCall):
            return self._call(span, reading, place, str(identity))
        stream = self._stream(sessions[0] if sessions else place.key, place)
        before = len(stream.waiting)
        self._beside(span, reading, stream, place, str(identity))
        return stream, stream.waiting[before:]

    def _call(self, span: Span, call: ModelCall, place: Place, identity: str) -> tuple[Stream, Sequence[ParsedEvent]]:
        messages = call.messages or ()
        digests = [chain.digest(message) for message in messages]
        places = chain.chains(digests)
        ids = chain.message_ids(place.key, messages, places)
        sessions = self._known_sessions(place.key)
        held = self._holding(sessions, ids)
        telling = CallTelling(span, call, place.key, digests, places, ids, agent=place.agent)
        for session in self._candidates(sessions, ids, held, call):
            stream = self._stream(session, place)
            told = telling.against(stream, frozenset(one for one in ids if session in held.get(one, ())))
            if told is not None:
                return stream, self._finish(stream, span, place, told, identity, call.model, messages)
        key = place.key
        if sessions:
            key = thread_key(place.key, places[min(1, len(places) - 1)])
            key = key if key not in sessions else thread_key(place.key, chain.after(places[-1], span.identity[:32]))
        stream = self._stream(key, place)
        return stream, self._finish(stream, span, place, telling.anew(stream), identity, call.model, messages)

    def _candidates(
        self, sessions: list[str], ids: Sequence[UUID], held: dict[UUID, set[str]], call: ModelCall
    ) -> Iterator[str]:
        """The sessions this request may go on with, the one that has most of its messages first."""
        if call.is_answer_only or call.messages is None:
            newest = max(sessions, key=lambda key: self._stream(key).head_start_ns, default=None)
            yield from [newest] if newest else []
            return
        depth = {
            key: max((n for n, one in enumerate(ids, 1) if key in held.get(one, ())), default=0) for key in sessions
        }
        yield from sorted(sessions, key=lambda key: -depth[key])

    def _finish(
        self,
        stream: Stream,
        span: Span,
        place: Place,
        told: list[Fact],
        identity: str,
        model: str,
        messages: Sequence[Message],
    ) -> Sequence[ParsedEvent]:
        before = len(stream.waiting)
        title = next(
            (title_line(message.text)[:200] for message in messages if message.role == "user" and message.text), ""
        )
        self._open(stream, span, place, model, title)
        at = moment_of(span.start_ns)
        for fact in told[:-1]:
            self._add(stream, fact, place.key, identity, at)
        record = told[-1]
        stream.add(ParsedEvent(stream.key, UUID(identity), record.type, record.payload, at, record.visibility))
        stream.settle(record.payload["record"])
        self._note_trace(stream, span, place)
        return stream.waiting[before:]

    def _beside(self, span: Span, reading: Reading, stream: Stream, place: Place, identity: str) -> None:
        """A span that is no request: a tool's result, a retrieval, or what is kept as it is."""
        self._open(stream, span, place, "", "")
        at = moment_of(span.start_ns)
        record: Json = {**origin(span), "attributes": facts.kept(span.attributes)}
        if isinstance(reading, ToolRun):
            record["tool"] = {"call_id": reading.call_id, "name": reading.name}
            result = _result_of(reading)
            answer = chain.result_id(place.key, reading.call_id)
            if result is None:
                record["result"] = {"arguments": reading.arguments, "content": reading.result}
            elif self._holding([stream.key], [answer]):
                record["told"] = "before"
            else:
                mark = {"message": chain.digest(result), "span": span.span_id}
                fact = facts.message_facts(result, "", "", mark)[0]
                stream.add(ParsedEvent(stream.key, answer, fact.type, fact.payload, moment_of(span.end_ns)))
        elif isinstance(reading, Retrieval):
            payload = {"query": reading.query, "chunks": list(reading.chunks), "snapshot": ""}
            self._add(stream, Fact(events.RETRIEVAL_COMPLETED, payload), place.key, identity, at)
        kind = f"otlp.{reading.kind}" if isinstance(reading, Other) else f"otlp.{type(reading).__name__.lower()}"
        fact = facts.unknown(kind[:100], record)
        stream.add(ParsedEvent(stream.key, UUID(identity), fact.type, fact.payload, at, fact.visibility))
        self._note_trace(stream, span, place)

    def _open(self, stream: Stream, span: Span, place: Place, model: str, title: str) -> None:
        known = stream.facts
        stream.facts = SessionHead(
            key=stream.key,
            native_id=stream.key,
            agent=(known.agent if known else "") or place.agent,
            title=(known.title if known else "") or title,
            agent_version=place.agent_version,
            model=model or (known.model if known else ""),
            parent_key=place.key if stream.key != place.key else "",
            started_at=(known.started_at if known else None) or moment_of(span.start_ns),
        )
        at = moment_of(span.start_ns)
        if stream.seq == 0:
            created: Json = {
                "format": FORMAT_NAME,
                "agent": place.agent,
                "agent_version": place.agent_version,
                "model": model,
            }
            created |= {"resource": facts.kept(span.resource)}
            identity = chain.event_id(stream.key, "session")
            stream.add(ParsedEvent(stream.key, identity, events.SESSION_CREATED, created, at))

    def _note_trace(self, stream: Stream, span: Span, place: Place) -> None:
        """Which conversation this trace is of, for spans that come later and don't say it."""
        if not place.is_named or stream.key != place.key or not span.trace_id.strip("0"):
            return
        note = chain.trace_id(span.trace_id)
        if note not in stream.ids and self._log.conversation_of(span.trace_id) != place.key:
            fact = facts.unknown("otlp.trace", {"trace_id": span.trace_id})
            at = moment_of(span.start_ns)
            stream.add(ParsedEvent(stream.key, note, fact.type, fact.payload, at, fact.visibility))

    def _add(self, stream: Stream, fact: Fact, key: str, identity: str, at: datetime | None) -> None:
        """Facts that bring an id of their own keep it; others are known by their span."""
        if fact.native:
            event_id = UUID(fact.native)
        else:
            event_id = chain.event_id(key, identity, fact.type, content_hash(fact.payload))
        stream.add(ParsedEvent(stream.key, event_id, fact.type, fact.payload, at, fact.visibility))

    def _stream(self, key: str, place: Place | None = None) -> Stream:
        stream = self.streams.get(key)
        if stream is None:
            root = key.partition("/")[0]
            exists = key in self._known_sessions(root)
            stream = self.streams[key] = Stream.load(key, self._log, exists=exists)
            if place is not None and not exists:
                self._sessions[root].append(key)
        return stream

    def _known_sessions(self, key: str) -> list[str]:
        if key not in self._sessions:
            self._sessions[key] = list(self._log.sessions_of(key))
        return self._sessions[key]

    def _holding(self, sessions: Sequence[str], ids: Sequence[UUID]) -> dict[UUID, set[str]]:
        found: dict[UUID, set[str]] = {one: set(keys) for one, keys in self._log.holding(sessions, ids).items()}
        for key in sessions:
            stream = self.streams.get(key)
            for one in ids:
                if stream is not None and one in stream.ids:
                    found.setdefault(one, set()).add(key)
        return found

    def _trace(self, trace: str) -> str:
        if trace.strip("0") and trace not in self._traces:
            self._traces[trace] = self._log.conversation_of(trace)
        return self._traces.get(trace, "")


def _result_of(run: ToolRun) -> Message | None:
    if not run.call_id or not run.has_result:
        return None
    return Message("tool", run.result, call_id=run.call_id, name=run.name, is_error=run.is_error)
