"""Walks an OpenHands V0 history in the order of its array: joins actions of one answer and finds what an observation answers.
Looks back, never ahead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import PurePath
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.contract import Format, Json, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact, safe_key
from contextapp.importers.openhands_v0.actions import included, read_action
from contextapp.importers.openhands_v0.observations import read_observation
from contextapp.importers.openhands_v0.shapes import (
    AGENT,
    FORMAT_NAME,
    call_id_of,
    is_event,
    native_of,
    recognise,
    response_id,
    source_of,
)
from contextapp.importers.walking import Item, walk


def parse(source: Source) -> Iterator[ParsedLine]:
    return walk(source, _Opening(source.name))


class _Opening:
    """A history, an object around one, or lines of either. A file that is one event belongs to its folder's session."""

    def __init__(self, source_name: str) -> None:
        self._source = source_name
        path = PurePath(source_name)
        folder = path.parent.parent if path.parent.name == "events" else None
        self._instances: set[str] = set()
        self._lines = _History(_conversation(file_key(FORMAT_NAME, str(folder or source_name)), folder is None))

    def skip(self) -> None:
        self._lines.position += 1

    def items(self, value: Any, place: str) -> Iterator[Item]:
        if is_event(value):
            yield self._lines.item(value, "")
            return
        named = value.get("instance_id") if isinstance(value, dict) else None
        if isinstance(named, str) and named:
            instance = f"instance-{safe_key(named)}"
            place = instance if instance not in self._instances else f"{instance}.{place}"  # tried once more
            self._instances.add(instance)
        walked = _History(_conversation(file_key(FORMAT_NAME, self._source, place)))
        history = value.get("history") if isinstance(value, dict) else value
        if not isinstance(history, list):
            yield Item(value, "document", walked.conversation, partial(_refuse, value))
            return
        if isinstance(value, dict):
            yield from _around(value, walked)
            yield from walked.items(history, "history")
            if value.get("metrics") is not None:
                yield Item(value["metrics"], "metrics", walked.conversation, partial(_bills, value["metrics"], walked))
        else:
            yield from walked.items(history, "")


def _conversation(key: str, opens_turns: bool = True) -> Conversation:
    head = SessionHead(key=key, native_id=key, agent=AGENT)
    return Conversation(
        format_name=FORMAT_NAME, head=head, created={"agent": AGENT}, opens_turns=opens_turns, has_ids=True
    )


def _around(document: Json, walked: _History) -> Iterator[Item]:
    """Members beside the history: what the run was set, none of it seen by the model."""
    for name in [name for name in document if name not in ("history", "metrics")]:
        settings = document[name].get("llm_config") if isinstance(document[name], dict) else None
        model = settings.get("model") if isinstance(settings, dict) else ""
        told = (("model", model if isinstance(model, str) else ""),)
        yield Item(document[name], name, walked.conversation, partial(Said, folded="settings", told=told))


class _History:
    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.position = 0
        self.responses: set[str] = set()
        self._calls: dict[str, str] = {}  # native id of an action -> its call
        self._latest = ""
        self._had_prompt = False
        self._prompts: list[tuple[str, str]] = []

    def items(self, values: list[Any], path: str) -> Iterator[Item]:
        for number, value in enumerate(values):
            if isinstance(value, list):  # an action with its observation
                for inner, event in enumerate(value):
                    yield self.item(event, f"{path}[{number}][{inner}]")
            else:
                yield self.item(value, f"{path}[{number}]")

    def item(self, event: Any, path: str) -> Item:
        position = self.position
        self.position += 1
        native = native_of(event, position)
        return Item(event, native, self.conversation, self._reading(event, native, position, path))

    def _reading(self, event: Any, native: str, position: int, path: str) -> partial[Said]:
        if not isinstance(event, dict):
            return partial(_unfit, event, path)
        if isinstance(event.get("action"), str):
            source = source_of(event, position)
            answer = response_id(event) or native
            is_first = answer not in self.responses
            if source == "agent":
                self.responses.add(answer)
                self._calls[native] = call_id_of(event) or native
                self._latest = native
            if source == "user" and event["action"] == "message":
                self._had_prompt = True
                self._remember_prompt(event, native)
            if event["action"] == "condensation":
                return partial(_condensed, event, native, source, tuple(self._prompts))
            return partial(read_action, event, native, source, is_first)
        return partial(read_observation, event, native, self._cause(event), self._had_prompt)

    def _cause(self, event: Json) -> str:
        cause = event.get("cause")
        if isinstance(cause, int) and not isinstance(cause, bool):
            return self._calls.get(f"event:{cause}", "")
        if "id" in event or event.get("observation") in ("agent_state_changed", "null", "recall"):
            return ""
        return self._calls.get(self._latest, "")  # pairs carry no numbers

    def _remember_prompt(self, event: Json, native: str) -> None:
        args = event.get("args")
        text = args.get("content") if isinstance(args, dict) else None
        if isinstance(text, str):
            self._prompts.append((native, text))


def _condensed(event: Json, native: str, source: str, prompts: tuple[tuple[str, str], ...]) -> Said:
    """The first events stay in the window when later ones are forgotten: a prompt among them is told again."""
    said = read_action(event, native, source, False)
    args = fields.mapping(event, "args") or {}
    forgotten = {f"event:{number}" for number in fields.items(args, "forgotten_event_ids")}
    first, last = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
    if isinstance(first, int) and isinstance(last, int) and 0 <= last - first < 1_000_000:
        forgotten |= {f"event:{number}" for number in range(first, last + 1)}
    kept = [(name, text) for name, text in prompts if name not in forgotten]
    again = [included("kept_message", "message kept at a compaction", text, name) for name, text in kept]
    return Said((*said.facts, *again), at=said.at)


def _bills(metrics: Any, walked: _History) -> Said:
    """Bills of answers that no action has brought: of messages without calls, and of a condenser."""
    facts: list[Fact] = []
    for number, value in enumerate(fields.items(fields.as_mapping(metrics, "metrics"), "token_usages")):
        place = f"metrics.token_usages[{number}]"
        usage = fields.as_mapping(value, place)
        answer = fields.string(usage, "response_id", path=f"{place}.response_id")
        if answer in walked.responses:
            continue
        read = fields.count(usage, "cache_read_tokens", path=f"{place}.cache_read_tokens") or 0
        wrote = fields.count(usage, "cache_write_tokens", path=f"{place}.cache_write_tokens") or 0
        prompt = fields.count(usage, "prompt_tokens", path=f"{place}.prompt_tokens") or 0
        payload = {
            "message_id": answer,
            "model": fields.string(usage, "model", path=f"{place}.model"),
            "input_uncached": max(prompt - read - wrote, 0),
            "cache_read": read,
            "cache_write": wrote,
            "output": fields.count(usage, "completion_tokens", path=f"{place}.completion_tokens") or 0,
            "reasoning": None,
            "quality": "exact",
        }
        facts.append(Fact(events.USAGE_REPORTED, payload, native=answer))
    return Said(tuple(facts), folded="bills_of_known_answers")


def _refuse(value: Any) -> Said:
    raise UnfitLine("wrong_type", field="history", detail=f"expected an array of events, found {kind_of(value)}")


def _unfit(value: Any, path: str) -> Said:
    raise UnfitLine("wrong_type", field=path, detail=f"expected an event, found {kind_of(value)}")


FORMAT = Format(
    name=FORMAT_NAME,
    label="OpenHands V0",
    looked_for='an OpenHands history (events with "action" or "observation", in an array or under "history")',
    recognise=recognise,
    parse=parse,
)
