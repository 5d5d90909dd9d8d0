"""One session of another tool while it is walked: what an item says becomes events with ids, inside turns. Never looks ahead
and makes up no time, no usage and no result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from contextapp.engine import events
from contextapp.engine.observations.text import title_line
from contextapp.importers.contract import Json, ParsedEvent, SessionHead
from contextapp.importers.identity import Fact, content_hash, identify, safe_key

_MODEL = frozenset({events.MODEL_MESSAGE, events.MODEL_THINKING, events.TOOL_REQUESTED})


@dataclass(frozen=True, slots=True)
class Said:
    """What one item says: facts in order, or the reason why it says none. `told` are fields of the head that it adds."""

    facts: tuple[Fact, ...] = ()
    folded: str = ""
    at: datetime | None = None
    told: tuple[tuple[str, str], ...] = ()


class Conversation:
    """`opens_turns` is false where a file holds a piece of a session and can't know whether a turn is open; `has_ids`
    where items carry ids of their own: one may come twice, and a compaction may name the last that it stands for."""

    def __init__(
        self,
        *,
        format_name: str,
        head: SessionHead,
        created: Json | None = None,
        opens_turns: bool = True,
        has_ids: bool = False,
    ) -> None:
        self.head = head
        self._format, self._opens_turns, self._has_ids = format_name, opens_turns, has_ids
        self._created = {"format": format_name, **(created or {})}
        self._is_told = self._is_created = self._in_turn = self._had_turn = False
        self._seen: set[int] = set()
        self._count = 0
        self._last: dict[str, int] = {}  # native id -> how many events there were after its own

    def accept(self, said: Said, native: str) -> tuple[tuple[ParsedEvent, ...], tuple[SessionHead, ...]]:
        """The events that are new, and the head when it says more than before. Only repeats: no event, nothing remembered."""
        new = self._unseen(map(self._covering, said.facts), native, said.at)
        if said.facts and not new:
            return (), ()
        heads = self._heads(said)
        opening = self._unseen(self._opening(said.facts, native), native, said.at) if said.facts else ()
        for fact in said.facts:
            if fact.type == events.TURN_COMPLETED:
                self._in_turn = False
        self._count += len(opening) + len(new)
        if new and self._has_ids:
            self._last[native] = self._count
        return (*opening, *new), heads

    def _covering(self, fact: Fact) -> Fact:
        """`through` names the last item that a compaction stands for: in the log of this session, a place in the count."""
        through = fact.payload.get("through") if fact.type == events.SESSION_COMPACTED else None
        if through is None:
            return fact
        kept = {name: value for name, value in fact.payload.items() if name != "through"}
        last = self._last.get(through)
        return replace(fact, payload=kept | ({"covers": [1, last]} if last else {}))

    def _unseen(self, facts: Iterable[Fact], native: str, at: datetime | None) -> tuple[ParsedEvent, ...]:
        made = identify(facts, format_name=self._format, session_key=self.head.key, native=native, occurred_at=at)
        if not self._has_ids:  # named by their places, items can't come twice, and a long file is not remembered
            return made
        new = {event.event_id.int: event for event in made if event.event_id.int not in self._seen}
        self._seen.update(new)
        return tuple(new.values())

    def _opening(self, facts: tuple[Fact, ...], native: str) -> Iterator[Fact]:
        if not self._is_created:
            self._is_created = True
            yield Fact(events.SESSION_CREATED, self._created, native="session")
        prompted = any(fact.type == events.USER_MESSAGE and not fact.payload.get("queued") for fact in facts)
        unprompted = self._opens_turns and not self._had_turn and any(_is_model_part(fact) for fact in facts)
        if prompted and self._in_turn and self._opens_turns:
            yield Fact(events.TURN_COMPLETED, {"stop_reason": "next_prompt"})
        if prompted or unprompted:
            self._in_turn = self._had_turn = True
            yield Fact(events.TURN_STARTED, {"native_id": native})

    def _heads(self, said: Said) -> tuple[SessionHead, ...]:
        before = self.head
        told = dict(said.told)
        for fact in said.facts:
            if fact.type == events.USER_MESSAGE and not (told.get("title") or self.head.title):
                told["title"] = title_line(fact.payload["text"])[:200]
            if _is_model_part(fact) and fact.payload.get("model"):
                told["model"] = fact.payload["model"]
        given = {name: value for name, value in told.items() if value}
        self.head = replace(self.head, **given, started_at=self.head.started_at or said.at)
        if self._is_told and self.head == before:
            return ()
        self._is_told = True
        return (self.head,)


def _is_model_part(fact: Fact) -> bool:
    return fact.type in _MODEL and not fact.payload.get("synthetic")


def file_key(format_name: str, source_name: str, place: str = "") -> str:
    """For formats without ids of their own: a conversation is known by the file it is in and its place there."""
    file_name = safe_key(source_name.replace("\\", "/").rsplit("/", 1)[-1])
    return ":".join(part for part in (format_name, content_hash(source_name)[:12], file_name, place) if part)


def instruction(text: str, name: str, level: str = "session") -> Fact:
    """`name` tells the instructions of one session apart: another of the same name takes the place of the first."""
    identity = f"{level}:{content_hash(text)[:12]}"
    payload = {"id": identity, "level": level, "name": name, "path": "", "text": text}
    return Fact(events.INSTRUCTIONS_LOADED, payload)


def unknown(record_type: str, record: object) -> Fact:
    """What no rule knows, verbatim, for people only."""
    return Fact(events.IMPORT_UNKNOWN, {"record_type": record_type, "record": record}, "audit")
