"""One model call against the session it may go on with: what of its request is new there, what the harness took out or changed,
and what came of it. Gives facts; the last one is always the record of the call."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from contextapp.engine import events
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact, content_hash
from contextapp.importers.otlp import chain, facts
from contextapp.importers.otlp.facts import MARK
from contextapp.importers.otlp.placing import origin
from contextapp.importers.otlp.rewriting import Change, compare
from contextapp.importers.otlp.stream import CALL_RECORD, Entry, Head, Stream, record_of
from contextapp.importers.otlp.values import Message, ModelCall, Span


@dataclass(slots=True)
class CallTelling:
    span: Span
    call: ModelCall
    key: str
    digests: Sequence[str]
    places: Sequence[str]  # one more than there are messages
    ids: Sequence[uuid.UUID]
    agent: str = ""
    known: frozenset[uuid.UUID] = frozenset()  # of `ids`, those that stand in the session it is told against

    @property
    def messages(self) -> Sequence[Message]:
        return self.call.messages or ()

    def anew(self, stream: Stream) -> list[Fact]:
        """In a session that has nothing of it."""
        self.known = frozenset()
        return self._told(stream, self._new(0, {}), {"new_from": 0})

    def against(self, stream: Stream, known: frozenset[uuid.UUID]) -> list[Fact] | None:
        """None when this is no continuation of that session; `known` are the messages that stand in it."""
        self.known = known
        head = stream.head
        if self.call.messages is None:
            return self._told(stream, [], {"content": "not recorded"} if not self.call.is_answer_only else {})
        if head is None:
            return self.anew(stream) if stream.key == self.key else None
        if head.chain in self.places or head.asked in self.places:
            start, marks = self._behind(head)
            if start < len(self.messages) or self.span.start_ns >= head.start_ns:
                return self._told(stream, self._new(start, stream.runs()), {"new_from": start, **marks})
        if known and known.issuperset(self.ids) and self._stands_as_said(stream):
            return self._late(stream)
        if self.span.start_ns < head.start_ns:
            return None
        return self._rewritten(stream, head)

    def _behind(self, head: Head) -> tuple[int, Json]:
        """Where in the request the known conversation ends. Its last answer may come back in other words, or not at all."""
        if head.chain in self.places:
            return self.places.index(head.chain), {}
        start = self.places.index(head.asked)
        if start < len(self.messages) and self.messages[start].role == "assistant":
            return start + 1, {
                "retold_answer": {"digest": self.digests[start], "text": self.messages[start].text[:4000]}
            }
        return start, {"answer_left_out": True}

    def _new(self, start: int, runs: dict[str, str]) -> list[Fact]:
        """The messages from `start` on, less results that a span of their tool told; told otherwise, they are corrected."""
        told: list[Fact] = []
        shown: dict[str, str] = {}
        for number in range(start, len(self.messages)):
            message, digest = self.messages[number], self.digests[number]
            if message.role == "tool" and message.call_id in runs:
                if runs[message.call_id] != digest:
                    shown[message.call_id] = message.text
                continue
            told += self._message(number, {"message": digest})
        return [*([_cleared(shown, self._digests_of(shown))] if shown else []), *told]

    def _message(self, number: int, mark: Json) -> list[Fact]:
        place = self.places[number + 1]
        made = facts.message_facts(self.messages[number], f"otlp-{place[:24]}", "", mark)
        native = self.ids[number]
        if native in self.known:  # a call id that is used again, or a result that stood somewhere else before
            native = chain.event_id(self.key, "message", place, "result")
        named = [Fact(made[0].type, made[0].payload, made[0].visibility, str(native))]
        for part, fact in enumerate(made[1:], start=1):
            identity = chain.event_id(self.key, "message", place, str(part))
            named.append(Fact(fact.type, fact.payload, fact.visibility, str(identity)))
        return named

    def _again(self, number: int) -> Fact:
        """A message that the compaction's range took out and the request still holds: no new words of a user, no new answer."""
        native = chain.event_id(self.key, "again", self.span.identity, self.places[number + 1])
        return facts.again(self.messages[number], f"otlp-{self.places[number + 1][:24]}", str(native))

    def _stands_as_said(self, stream: Stream) -> bool:
        """Results at the end are known by their calls alone, and nothing behind them vouches for what they say."""
        last = max((n for n, message in enumerate(self.messages) if message.role != "tool"), default=-1)
        ending = set(self.digests[last + 1 :])
        return not ending or ending <= {entry.digest for entry in stream.window()}

    def _late(self, stream: Stream) -> list[Fact]:
        """A request that later ones have told already: what is left of it is its answer's bill."""
        output_place, output_ids = self._output_place(self.places[-1])
        marks: Json = {"late": True}
        if self.call.output and output_ids not in stream.ids and not stream.log.holding([stream.key], [output_ids]):
            if stream.head is not None and self.span.start_ns >= stream.head.start_ns:
                return self._told(stream, [], {"new_from": len(self.messages), "repeated": True})
            marks["answer"] = [asdict(message) for message in self.call.output]
            return [self._record(stream, stream.head, marks, is_head=False)]
        return [*self._usage(f"otlp-{output_place[:24]}"), self._record(stream, stream.head, marks, is_head=False)]

    def _rewritten(self, stream: Stream, head: Head) -> list[Fact] | None:
        change = compare(stream.window(), self.digests, self.messages)
        is_same = head.agent == self.agent and head.instructions == self._instruction_digests()
        if change.is_other and not (
            is_same and head.instructions and not self.known and self.span.start_ns >= head.end_ns
        ):
            return None
        return self._told(stream, self._changed(stream, change), _described(change))

    def _changed(self, stream: Stream, change: Change) -> list[Fact]:
        """The window's change as events. Their seqs are counted on from the stream's, so they stand first of what is told."""
        first = [_cleared(change.cleared, self._digests_of(change.cleared))] if change.cleared else []
        inserted = range(change.kept, change.inserted_to)
        if not change.dropped:
            told = [fact for number in inserted for fact in self._message(number, {"message": self.digests[number]})]
            return [*first, *told, *self._new(change.new_from, {})]
        says = [] if change.is_other else [self.messages[number] for number in inserted]
        as_summary = bool(says) and all(message.role in ("user", "system") for message in says)
        covers = _covers(change.dropped)
        stands = self._standing(change)
        again = [
            n for n in range(change.new_from) if (stands[n].last_seq <= covers[1] if n in stands else not as_summary)
        ]
        seq = stream.seq + len(first) + 1
        rows: dict[int, Entry] = {}
        retold: list[Fact] = []
        for number in again:
            is_new = number not in stands
            told = self._message(number, {}) if is_new else [self._again(number)]
            rows[number] = Entry(self.digests[number], seq + 1, seq + len(told), self.messages[number].call_id)
            retold += told
            seq += len(told)
        summary = "\n\n".join(message.text for message in says) if as_summary else ""
        first.append(_compacted(covers, summary, self._window(change, stands | rows)))
        return [*first, *retold, *self._new(change.new_from, {})]

    def _digests_of(self, cleared: dict[str, str]) -> dict[str, str]:
        results = zip(self.messages, self.digests, strict=True)
        return {
            message.call_id: digest
            for message, digest in results
            if message.role == "tool" and message.call_id in cleared
        }

    def _standing(self, change: Change) -> dict[int, Entry]:
        """Messages of the request that stand in the log, at its start and behind what is inserted."""
        if change.is_other:
            return {}
        start = {n: replace(one, digest=self.digests[n]) for n, one in enumerate(change.start)}
        return start | {change.inserted_to + n: one for n, one in enumerate(change.retained)}

    def _window(self, change: Change, rows: dict[int, Entry]) -> list[list[object]]:
        """The window after the change, up to its new end, in the order of the request. A summary has no seq of its own."""
        found = [rows.get(number, Entry(self.digests[number], 0, 0)) for number in range(change.new_from)]
        return [[one.digest, one.first_seq, one.last_seq, one.call_id] for one in found]

    def _told(self, stream: Stream, new: list[Fact], marks: Json) -> list[Fact]:
        """What stands beside the messages, the new messages, the answer, its bill, and the record."""
        old = stream.head or Head()
        tools = old.tools if self.call.tools is None else content_hash(self.call.tools)[:32]
        asked = old.asked if self.call.messages is None else self.places[-1]
        if self.call.is_answer_only and not marks:
            marks = {"answers": old.asked}
        place, output_id = self._output_place(asked)
        message_id = (
            f"otlp-{place[:24]}"
            if self.call.output
            else f"otlp-{chain.event_id(self.key, 'call', self.span.identity).hex[:24]}"
        )
        is_told = output_id in stream.ids or bool(stream.log.holding([stream.key], [output_id]))
        answer = [] if is_told and self.call.output else self._answer(place, message_id)
        head = Head(
            asked=asked,
            chain=place if self.call.output else asked,
            agent=self.agent,
            instructions=self._instruction_digests() if self.call.messages is not None else old.instructions,
            tools=tools,
            start_ns=self.span.start_ns or old.start_ns,
            end_ns=self.span.end_ns or old.end_ns,
        )
        beside = self._beside(old, tools) if self.call.messages is not None else []
        told = [*new, *beside] if "rewritten" in marks else [*beside, *new]
        return [*told, *answer, *self._usage(message_id), self._record(stream, head, marks, is_head=True)]

    def _beside(self, old: Head, tools: str) -> list[Fact]:
        now = self._instruction_digests()
        told = [
            facts.instruction(number, text)
            for number, text in enumerate(self.call.instructions)
            if number >= len(old.instructions) or old.instructions[number] != now[number]
        ]
        told += [facts.instruction(number, "") for number in range(len(now), len(old.instructions))]
        if self.call.tools is not None and tools != old.tools:
            told.append(Fact(events.TOOLS_AVAILABLE, {"tools": list(self.call.tools), "mode": "set"}))
        return told

    def _instruction_digests(self) -> tuple[str, ...]:
        return tuple(content_hash(text)[:32] for text in self.call.instructions)

    def _output_place(self, asked: str) -> tuple[str, uuid.UUID]:
        place = chain.chains([chain.digest(message) for message in self.call.output], asked)[-1]
        return place, chain.event_id(self.key, "message", place, "0")

    def _answer(self, place: str, message_id: str) -> list[Fact]:
        """An error, an answer whose content was not recorded, or the answer: one assistant message."""
        if self.call.error:
            said: Json = {
                "message_id": message_id,
                "text": self.call.error,
                "model": self.call.model,
                "synthetic": True,
            }
            error = Fact(events.MODEL_MESSAGE, {**said, "message_id": f"{message_id}-error", "error_status": "error"})
            if not self.call.output:
                return [error]
        if not self.call.output:
            if self.call.messages is not None and self.call.usage is None:
                return []  # a request that was logged alone; its answer is another record or the next request
            hidden = {"message_id": message_id, "text": "", "model": self.call.model, "content_recorded": False}
            return [Fact(events.MODEL_MESSAGE, hidden)]
        told: list[Fact] = []
        at = self.places[-1] if self.call.messages is not None else ""
        for message in self.call.output:
            digest = chain.digest(message)
            at = chain.after(at, digest) if at else place
            made = facts.message_facts(message, message_id, self.call.model, {"message": digest})
            told += [
                Fact(fact.type, fact.payload, fact.visibility, str(chain.event_id(self.key, "message", at, str(part))))
                for part, fact in enumerate(made)
            ]
        return [*told, error] if self.call.error else told

    def _usage(self, message_id: str) -> list[Fact]:
        if self.call.usage is None:
            return []
        return [Fact(events.USAGE_REPORTED, {"message_id": message_id, "model": self.call.model, **self.call.usage})]

    def _record(self, stream: Stream, head: Head | None, marks: Json, *, is_head: bool) -> Fact:
        record: Json = {**origin(self.span), **marks, "dialect": self.call.dialect, "messages": len(self.messages)}
        if self.call.response_id:
            record["response_id"] = self.call.response_id[:200]
        record |= {
            "newest": is_head,
            "place": record_of(head or Head()),
            "attributes": facts.kept(self.span.attributes),
        }
        return facts.unknown(CALL_RECORD, record)


def _cleared(shown: dict[str, str], digests: dict[str, str]) -> Fact:
    """Results that the model was shown otherwise than their tool gave them, and what it was shown."""
    payload: Json = {"part": "cleared", "cleared_call_ids": list(shown), "shown": shown}
    return Fact(events.SESSION_COMPACTED, {**payload, "trigger": "otlp", "by": "harness", MARK: {"digests": digests}})


def _covers(dropped: Sequence[Entry]) -> tuple[int, int]:
    """A range, since that is what a compaction takes out; what else stands in it is told again."""
    seqs = [entry for entry in dropped if entry.first_seq]
    return min((one.first_seq for one in seqs), default=1), max((one.last_seq for one in seqs), default=1)


def _compacted(covers: tuple[int, int], summary: str, window: list[list[object]]) -> Fact:
    part = {"part": "whole" if summary else "boundary", "summary": summary, "covers": list(covers)}
    said = {**part, "trigger": "otlp", "by": "harness", "trust": "untrusted", MARK: {"window": window}}
    return Fact(events.SESSION_COMPACTED, said)


def _described(change: Change) -> Json:
    found: Json = {
        "new_from": change.new_from,
        "kept": change.kept,
        "dropped": len(change.dropped),
        "retained": len(change.retained),
    }
    if change.left_out:
        found["answers_left_out"] = change.left_out
    return {**found, "rewritten": True}
