"""Walks OpenHands V1 events in order: joins actions of one answer, and gives each what the counters grew by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.contract import Format, Json, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact
from contextapp.importers.openhands_v0.actions import included
from contextapp.importers.openhands_v1.events import message_id_of, read_event
from contextapp.importers.openhands_v1.shapes import (
    AGENT,
    FORMAT_NAME,
    is_piece,
    is_state,
    recognise,
    session_key,
    text_at,
)
from contextapp.importers.openhands_v1.usage import Counters, bill, counters_of, grown, is_agents
from contextapp.importers.walking import Item, walk

_CREATED: Json = {"format": FORMAT_NAME, "agent": AGENT}


def parse(source: Source) -> Iterator[ParsedLine]:
    return walk(source, _Opening(source.name))


class _Opening:
    """Lines, an array, or one file of a folder. A piece of a session does not know what stands in the others."""

    def __init__(self, source_name: str) -> None:
        key = session_key(source_name)
        head = SessionHead(key=key, native_id=key.removeprefix(f"{FORMAT_NAME}:"), agent=AGENT)
        self._is_piece = is_piece(source_name)
        self._conversation = Conversation(
            format_name=FORMAT_NAME,
            head=head,
            created={"agent": AGENT},
            opens_turns=not self._is_piece,
            has_ids=True,
        )
        self._position = 0
        self._responses: set[str] = set()
        self._counters: Counters = {}
        self._owed: Json | None = None
        self._prompts: list[tuple[str, str]] = []

    def skip(self) -> None:
        self._position += 1

    def items(self, value: Any, place: str) -> Iterator[Item]:
        for event in value if isinstance(value, list) else [value]:
            yield self._item(event)

    def _item(self, event: Any) -> Item:
        position = self._position
        self._position += 1
        given = event.get("id") if isinstance(event, dict) else None
        native = given if isinstance(given, str) and given else f"place:{position}"
        return Item(event, native, self._conversation, self._reading(event, native))

    def _reading(self, event: Any, native: str) -> partial[Said]:
        if not isinstance(event, dict):
            return partial(_unfit, event)
        if is_state(event):
            return partial(_settings, event)
        kind = event.get("kind")
        if kind == "ConversationStateUpdateEvent" and event.get("key") == "stats":
            return partial(_counted, event, tuple(self._grow(event, native)))
        if kind == "Condensation":
            return partial(_condensed, event, native, tuple(self._prompts))
        if kind == "MessageEvent" and event.get("source") == "user":
            self._prompts.append((native, _said(event)))
        if kind not in ("ActionEvent", "MessageEvent") or event.get("source") != "agent":
            return partial(read_event, event, native, True)
        message_id = message_id_of(event, native)
        is_first = self._is_piece or message_id not in self._responses
        self._responses.add(message_id)
        owed, self._owed = self._owed, None
        return partial(_billed, event, native, is_first, owed)

    def _grow(self, event: Json, native: str) -> Iterator[Fact]:
        """Counters of the agent are owed to the answer that comes next; a piece of a session can't tell."""
        after = counters_of(event.get("value"))
        before, self._counters = self._counters, {**self._counters, **after}
        for use in () if self._is_piece else after:
            spent = grown(before, after, use)
            if spent is None:
                continue
            if not is_agents(use, after):
                yield bill(spent | {"use": use}, "", "cumulative", f"{native}:{use}")
                continue
            if self._owed is not None:  # the answer that it was for is not in the file
                yield bill(self._owed, "", "cumulative", f"{native}:{use}")
            self._owed = spent


def _said(event: Json) -> str:
    message = event.get("llm_message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n\n".join(text for part in parts if isinstance(part, dict) and (text := text_at(part, "text")))


def _unfit(value: Any) -> Said:
    raise UnfitLine("wrong_type", detail=f"expected an event, found {kind_of(value)}")


def _billed(event: Json, native: str, is_first: bool, owed: Json | None) -> Said:
    said = read_event(event, native, is_first)
    if owed is None:
        return said
    message_id = message_id_of(event, native)
    told = (("model", str(owed["model"])),)
    return replace(said, facts=(*said.facts, bill(owed, message_id, "exact", message_id)), told=told)


def _counted(event: Json, facts: tuple[Fact, ...]) -> Said:
    return Said(facts, folded="counters", at=fields.moment(event, "timestamp"))


def _condensed(event: Json, native: str, prompts: tuple[tuple[str, str], ...]) -> Said:
    """The first events stay in the window when later ones are forgotten: a prompt among them is told again."""
    said = read_event(event, native, True)
    forgotten = [name for name in fields.items(event, "forgotten_event_ids") if isinstance(name, str)]
    through = {"through": forgotten[-1]} if forgotten else {}
    facts = [replace(fact, payload=fact.payload | through) for fact in said.facts]
    kept = [(name, text) for name, text in prompts if name not in forgotten]
    again = [included("kept_message", "message kept at a compaction", text, name) for name, text in kept]
    return replace(said, facts=(*facts, *again))


def _settings(state: Json) -> Said:
    """The state of a conversation's folder: who ran, where and on what; its counters are of the whole."""
    told = (
        ("model", text_at(state, "agent", "llm", "model")),
        ("cwd", text_at(state, "workspace", "working_dir")),
        ("title", text_at(state, "title")),
    )
    facts = [Fact(events.SESSION_CREATED, _CREATED, native="session")]
    counters = counters_of(state.get("stats"))
    for use in counters:
        if spent := grown({}, counters, use):
            facts.append(bill(spent | {"use": use}, "", "cumulative", f"stats:{use}"))
    return Said(tuple(facts), told=told)


FORMAT = Format(
    name=FORMAT_NAME,
    label="OpenHands V1",
    looked_for='OpenHands SDK events (objects with "kind": "MessageEvent", "ActionEvent", ...)',
    recognise=recognise,
    parse=parse,
)
