"""A run: one conversation, its place in the file and what is said of it beside the messages. Ids come from positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from contextapp.engine import events
from contextapp.engine.observations.text import title_line
from contextapp.importers import fields
from contextapp.importers.contract import Json, ParsedEvent, SessionHead, UnfitLine
from contextapp.importers.identity import Fact, content_hash, identify, safe_key
from contextapp.importers.openai_chat.messages import read_message

FORMAT_NAME = "openai_chat"
MESSAGE_FIELDS = ("messages", "traj")
_TASK_FIELDS = ("task_id", "trial", "id", "conversation_id")


@dataclass(slots=True)
class Run:
    """Walked message by message. Timestamps and usage are not in this format, so none are made."""

    key: str
    title: str = ""
    model: str = ""
    tools: tuple[Json, ...] = ()
    _index: int = 0
    _opened: bool = False
    _in_turn: bool = False
    _head: SessionHead | None = None
    _functions: tuple[tuple[str, str], ...] = ()

    def skip(self) -> None:
        """A message that could not be read keeps its position, so that the ids of later ones stand still."""
        self._index += 1

    def take(self, value: Any, path: str) -> tuple[tuple[ParsedEvent, ...], tuple[SessionHead, ...]]:
        """Events of the next message. A message that is unfit takes its position all the same."""
        index = self._index
        self._index += 1
        message = fields.as_mapping(value, path.rstrip(".") or "message")
        facts = read_message(message, index, path, self._functions)
        called = [(fact.payload["name"], fact.payload["call_id"]) for fact in facts if _is_function_call(fact)]
        self._functions = (*self._functions, *called)
        placed = [*self._opening(facts), *facts]
        made = identify(
            placed, format_name=FORMAT_NAME, session_key=self.key, native=f"message:{index}", occurred_at=None
        )
        return made, self._heads(facts)

    def _opening(self, facts: tuple[Fact, ...]) -> Iterator[Fact]:
        if not self._opened:
            self._opened = True
            yield Fact(events.SESSION_CREATED, {"format": FORMAT_NAME}, native="session")
            if self.tools:
                yield Fact(events.TOOLS_AVAILABLE, {"tools": list(self.tools), "mode": "set"}, native="tools")
        if any(fact.type == events.USER_MESSAGE for fact in facts):
            if self._in_turn:
                yield Fact(events.TURN_COMPLETED, {"stop_reason": "next_prompt"})
            self._in_turn = True
            yield Fact(events.TURN_STARTED, {"native_id": f"m{self._index - 1}"})
        elif not self._in_turn and any(fact.type in _MODEL for fact in facts):
            self._in_turn = True
            yield Fact(events.TURN_STARTED, {"native_id": f"m{self._index - 1}"})

    def _heads(self, facts: tuple[Fact, ...]) -> tuple[SessionHead, ...]:
        for fact in facts:
            if fact.type == events.USER_MESSAGE and not self.title:
                self.title = title_line(fact.payload["text"])[:200]
            if fact.type in _MODEL and fact.payload["model"]:
                self.model = fact.payload["model"]
        head = SessionHead(key=self.key, native_id=self.key, agent="", title=self.title, model=self.model)
        if head == self._head:
            return ()
        self._head = head
        return (head,)


_MODEL = frozenset({events.MODEL_MESSAGE, events.MODEL_THINKING, events.TOOL_REQUESTED})


def _is_function_call(fact: Fact) -> bool:
    return fact.type == events.TOOL_REQUESTED and str(fact.payload["call_id"]).startswith("function:")


def messages_of(container: Json) -> str:
    """The name of the field that holds the messages, or "" when this is no run."""
    return next((name for name in MESSAGE_FIELDS if isinstance(container.get(name), list)), "")


def run_of(container: Json, source_name: str, place: str) -> Run:
    """`place` tells the runs of one file apart when they carry no ids of their own."""
    model = fields.string(container, "model")
    tools = tuple(_tool(tool, f"tools[{number}]") for number, tool in enumerate(fields.items(container, "tools")))
    return Run(run_key(source_name, _native_name(container) or place), model=model, tools=tools)


def run_key(source_name: str, place: str) -> str:
    """A conversation is known by the file it is in: arrays carry no id, and equal openings are common."""
    file_name = safe_key(source_name.replace("\\", "/").rsplit("/", 1)[-1])
    return ":".join(part for part in (FORMAT_NAME, content_hash(source_name)[:12], file_name, place) if part)


def _native_name(container: Json) -> str:
    found = [(name, container[name]) for name in _TASK_FIELDS if isinstance(container.get(name), str | int)]
    return "/".join(f"{name}-{safe_key(str(value))}" for name, value in found)


def _tool(value: Any, path: str) -> Json:
    tool = fields.as_mapping(value, path)
    function = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise UnfitLine("missing_field", field=f"{path}.function.name", detail="a tool needs a name")
    description = function.get("description")
    return {
        "name": function["name"],
        "description": description if isinstance(description, str) else "",
        "schema": function.get("parameters") or {},
        "server": "",
    }
