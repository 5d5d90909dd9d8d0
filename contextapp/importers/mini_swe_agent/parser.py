"""Walks a mini-swe-agent trajectory: which user message is a task, a result or a note of the harness follows from what
stands before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.arrays.threads import ResponsesThread
from contextapp.importers.contract import Format, Json, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key
from contextapp.importers.decoding import kind_of
from contextapp.importers.heads import begun_values
from contextapp.importers.identity import Fact
from contextapp.importers.mini_swe_agent import messages as reading
from contextapp.importers.walking import Item, walk

FORMAT_NAME = "mini_swe_agent"
_AGENT = "mini-swe-agent"
_ROLES = frozenset({"system", "user", "assistant", "tool", "exit"})


def parse(source: Source) -> Iterator[ParsedLine]:
    return walk(source, _Opening(source.name))


class _Opening:
    def __init__(self, source_name: str) -> None:
        self._source = source_name

    def skip(self) -> None:
        """A trajectory is a document; lines are runs of their own."""

    def items(self, value: Any, place: str) -> Iterator[Item]:
        document = value if isinstance(value, dict) else {"messages": value}
        info = document.get("info")
        version = _at(info, "mini_version")
        key = file_key(FORMAT_NAME, self._source, place)
        head = SessionHead(key=key, native_id=key, agent=_AGENT, agent_version=version)
        conversation = Conversation(format_name=FORMAT_NAME, head=head, created={"agent": _AGENT})
        given = document.get("messages")
        if not isinstance(given, list):
            yield Item(value, "document", conversation, partial(_refuse, given))
            return
        told = (
            ("model", _at(info, "config", "model", "model_name")),
            ("cwd", _at(info, "config", "environment", "cwd")),
        )
        yield from _Run(conversation, told).items(given)
        if info is not None:
            yield Item(info, "info", conversation, partial(_end, info, given))
        for name in [name for name in document if name not in ("messages", "info")]:
            yield Item(document[name], name, conversation, partial(Said, folded="settings"))


def _at(value: Any, *names: str) -> str:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


class _Run:
    def __init__(self, conversation: Conversation, told: tuple[tuple[str, str], ...]) -> None:
        self._conversation, self._told = conversation, told
        self._responses = ResponsesThread(conversation)
        self._waiting: list[str] = []  # calls of the last answer without a result
        self._had_task = False

    def items(self, values: list[Any]) -> Iterator[Item]:
        for index, value in enumerate(values):
            item = self._item(value, index, f"messages[{index}].")
            yield replace(item, read=partial(_telling, item.read, self._told)) if index == 0 else item

    def _item(self, value: Any, index: int, path: str) -> Item:
        if isinstance(value, dict) and "role" not in value and ("type" in value or "object" in value):
            self._responses.index = index - 1  # a version that talks to the Responses API
            return self._responses.item(value, path)
        return Item(value, f"message:{index}", self._conversation, self._reading(value, index, path))

    def _reading(self, value: Any, index: int, path: str) -> partial[Said]:
        role = value.get("role") if isinstance(value, dict) else None
        if not isinstance(role, str) or role not in _ROLES:
            return partial(_unfit, value, path)
        if role == "system":
            return partial(reading.read_system, value, index, path)
        if role == "assistant":
            self._waiting = _calls_of(value, index)
            return partial(reading.read_answer, value, index, path)
        if role == "exit":
            return partial(reading.read_exit, value, index, path, self._take_call(value))
        if role == "tool" or self._waiting:
            return partial(reading.read_result, value, index, path, self._take_call(value))
        if self._had_task:
            return partial(reading.read_note, value, index, path)
        self._had_task = True
        return partial(reading.read_task, value, index, path)

    def _take_call(self, value: Json) -> str:
        given = value.get("tool_call_id")
        if isinstance(given, str) and given in self._waiting:
            self._waiting.remove(given)
            return given
        return self._waiting.pop(0) if self._waiting else ""


def _calls_of(message: Json, index: int) -> list[str]:
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        ids = [call.get("id") if isinstance(call, dict) else None for call in calls]
        return [given if isinstance(given, str) and given else f"m{index}:{number}" for number, given in enumerate(ids)]
    return [f"m{index}:0"] if reading.command_in(message.get("content")) else []


def _telling(read: Any, told: tuple[tuple[str, str], ...]) -> Said:
    said: Said = read()
    return replace(said, told=told)


def _refuse(value: Any) -> Said:
    raise UnfitLine("wrong_type", field="messages", detail=f"expected an array, found {kind_of(value)}")


def _unfit(value: Any, path: str) -> Said:
    message = fields.as_mapping(value, path.rstrip("."))
    role = fields.required_string(message, "role", path=f"{path}role")
    raise UnfitLine("unknown_role", field=f"{path}role", detail=f"{role[:60]!r} is none of {', '.join(sorted(_ROLES))}")


def _end(info: Any, messages: list[Any]) -> Said:
    """How the run ended, unless a message has said it."""
    status = fields.string(fields.as_mapping(info, "info"), "exit_status", path="info.exit_status")
    if not status or any(isinstance(one, dict) and one.get("role") == "exit" for one in messages):
        return Said(folded="settings")
    return Said((Fact(events.TURN_COMPLETED, {"stop_reason": status}), Fact(events.SESSION_ENDED, {"reason": status})))


def recognise(head: bytes, name: str) -> bool:
    return any(is_trajectory(value) for value in begun_values(head))


def is_trajectory(value: Any) -> bool:
    if isinstance(value, dict):
        if str(value.get("trajectory_format", "")).startswith("mini-swe-agent") or _at(
            value.get("info"), "mini_version"
        ):
            return True
        return isinstance(value.get("info"), dict) and is_trajectory(value.get("messages"))
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) and "role" in one for one in value):
        return False
    return any(_is_marked(one) for one in value)


def _is_marked(message: Json) -> bool:
    """A result in this harness's own words, or a command under its own name."""
    content, role, extra = message.get("content"), message.get("role"), message.get("extra")
    if isinstance(extra, dict) and ("actions" in extra or "returncode" in extra):
        return True
    if not isinstance(content, str):
        return False
    return (role == "user" and content.startswith("<returncode>")) or (
        role == "assistant" and "mswea_bash_command" in content
    )


FORMAT = Format(
    name=FORMAT_NAME,
    label="mini-swe-agent",
    looked_for='a mini-swe-agent trajectory ("trajectory_format", or messages with its commands and "<returncode>")',
    recognise=recognise,
    parse=parse,
)
