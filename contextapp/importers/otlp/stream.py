"""One session as far as the next request needs it: the newest call's place in the conversation, and the window as its messages
stand in the log. Made from events alone, so that it can be made again at any time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from uuid import UUID

from contextapp.engine import events
from contextapp.importers.contract import Json, ParsedEvent, SessionHead
from contextapp.importers.otlp.chain import START
from contextapp.importers.otlp.facts import MARK

CALL_RECORD = "otlp.call"


@dataclass(frozen=True, slots=True)
class Head:
    """The newest call: the chain of what it was asked, and of that with its answer."""

    asked: str = START
    chain: str = START
    agent: str = ""
    instructions: tuple[str, ...] = ()
    tools: str = ""
    start_ns: int = 0
    end_ns: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of the window, where it stands in the log, and the call that it answers, if it does."""

    digest: str
    first_seq: int
    last_seq: int
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """An event of the log as this room reads it."""

    seq: int
    type: str
    payload: Json


class Log(Protocol):
    """What the log is asked. `since_rewrite` begins with the newest event that has a window on it; `since` is after a seq."""

    def sessions_of(self, key: str) -> Sequence[str]: ...
    def holding(self, session_keys: Sequence[str], event_ids: Iterable[UUID]) -> dict[UUID, set[str]]: ...
    def newest_call(self, session_key: str) -> tuple[int, Json] | None: ...
    def head_seq(self, session_key: str) -> int: ...
    def since(self, session_key: str, seq: int) -> Iterable[Stored]: ...
    def since_rewrite(self, session_key: str) -> Iterable[Stored]: ...
    def conversation_of(self, trace: str) -> str: ...


@dataclass(slots=True)
class Stream:
    """A session with what is about to be appended to it. Seqs of waiting events are counted on from the log's end."""

    key: str
    log: Log
    base_seq: int = 0
    head: Head | None = None
    head_record_seq: int = 0
    facts: SessionHead | None = None
    waiting: list[ParsedEvent] = field(default_factory=list)
    ids: set[UUID] = field(default_factory=set)
    rewritten_at: int | None = None  # the newest of the waiting that has a window on it

    @classmethod
    def load(cls, key: str, log: Log, *, exists: bool) -> Stream:
        if not exists:
            return cls(key, log)
        stream = cls(key, log, base_seq=log.head_seq(key))
        if found := log.newest_call(key):
            stream.head_record_seq, record = found
            stream.head = head_of(record)
        return stream

    @property
    def head_start_ns(self) -> int:
        return self.head.start_ns if self.head else 0

    def settle(self, record: Json) -> None:
        """The record of a call was added last; it is the newest unless it says otherwise."""
        if record.get("newest"):
            self.head, self.head_record_seq = head_of(record), self.seq

    @property
    def seq(self) -> int:
        return self.base_seq + len(self.waiting)

    def add(self, event: ParsedEvent) -> None:
        if "window" in _mark(event.payload):
            self.rewritten_at = len(self.waiting)
        self.waiting.append(event)
        self.ids.add(event.event_id)

    def window(self) -> list[Entry]:
        """Every message that stands in the window now, oldest first."""
        entries: list[Entry] = []
        if self.rewritten_at is None:
            for event in self.log.since_rewrite(self.key):
                fold(entries, event)
        for event in self._waiting(self.rewritten_at or 0):
            fold(entries, event)
        return entries

    def runs(self) -> dict[str, str]:
        """Results that spans of tools told since the newest call: the digest by call id."""
        waiting = self._waiting(max(0, self.head_record_seq - self.base_seq))
        stored = self.log.since(self.key, self.head_record_seq) if self.head_record_seq < self.base_seq else ()
        found = {}
        for event in (*stored, *waiting):
            if event.type == events.TOOL_COMPLETED and event.seq > self.head_record_seq:
                found[str(event.payload.get("call_id"))] = str(_mark(event.payload).get("message"))
        return found

    def _waiting(self, start: int) -> Iterable[Stored]:
        for number in range(start, len(self.waiting)):
            event = self.waiting[number]
            yield Stored(self.base_seq + number + 1, event.type, event.payload)


def fold(entries: list[Entry], event: Stored) -> None:
    mark = _mark(event.payload)
    if isinstance(mark.get("window"), list):
        entries[:] = [Entry(*row) for row in mark["window"]]
    elif isinstance(mark.get("digests"), dict):
        now = mark["digests"]
        entries[:] = [replace(one, digest=now.get(one.call_id, one.digest)) for one in entries]
    elif "message" in mark:
        parts = mark.get("parts") if isinstance(mark.get("parts"), int) else 1
        answers = event.payload.get("call_id") if event.type == events.TOOL_COMPLETED else ""
        entries.append(Entry(str(mark["message"]), event.seq, event.seq + int(parts or 1) - 1, str(answers or "")))


def _mark(payload: Json) -> Json:
    mark: Any = payload.get(MARK)
    return mark if isinstance(mark, dict) else {}


def record_of(head: Head) -> Json:
    return {
        "asked": head.asked,
        "chain": head.chain,
        "agent": head.agent,
        "instructions": list(head.instructions),
        "tools": head.tools,
        "start_ns": str(head.start_ns),
        "end_ns": str(head.end_ns),
    }


def head_of(record: Json) -> Head:
    place: Json = record.get("place") if isinstance(record.get("place"), dict) else {}  # type: ignore[assignment]
    return Head(
        asked=str(place.get("asked", START)),
        chain=str(place.get("chain", START)),
        agent=str(place.get("agent", "")),
        instructions=tuple(str(one) for one in place.get("instructions", ())),
        tools=str(place.get("tools", "")),
        start_ns=int(place.get("start_ns", 0)),
        end_ns=int(place.get("end_ns", 0)),
    )
