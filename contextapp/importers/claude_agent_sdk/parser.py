"""Walks a recorded stdio conversation of the Claude Agent SDK: messages alone, or with the way each went. A sub-agent inside is
a session of its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from contextapp.importers import fields
from contextapp.importers.claude_agent_sdk import reading
from contextapp.importers.contract import Format, Json, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key
from contextapp.importers.decoding import kind_of
from contextapp.importers.heads import begun_values
from contextapp.importers.identity import safe_key
from contextapp.importers.walking import Item, walk

FORMAT_NAME = "claude_agent_sdk"
_CONTROL = frozenset({"control_request", "control_response"})


def parse(source: Source) -> Iterator[ParsedLine]:
    return walk(source, _Opening(source.name))


def recognise(head: bytes, name: str) -> bool:
    values = begun_values(head)[:5]
    return any(_is_message(message) for value in values for message in _listed(value)[:5])


def _is_message(value: Any) -> bool:
    message = _inner(value)
    if not isinstance(message, dict):
        return False
    if str(message.get("type")) in _CONTROL:
        return "request_id" in message or "response" in message
    return message.get("type") == "system" and message.get("subtype") == "init" and "session_id" in message


def _inner(value: Any) -> Any:
    return value["message"] if isinstance(value, dict) and "direction" in value and "message" in value else value


def _listed(value: Any) -> list[Any]:
    if isinstance(value, dict) and "type" not in value and isinstance(value.get("messages"), list):
        return list(value["messages"])
    return value if isinstance(value, list) else [value]


class _Opening:
    def __init__(self, source_name: str) -> None:
        self._source = source_name
        self._conversation: Conversation | None = None
        self._children: dict[str, Conversation] = {}
        self._asked: dict[str, Json] = {}  # requests by id, until they are answered
        self._position = 0

    def skip(self) -> None:
        self._position += 1

    def items(self, value: Any, place: str) -> Iterator[Item]:
        messages = _listed(value)
        if self._conversation is None:
            named = (_session_of(_inner(message)) for message in messages)
            self._conversation = self._new(next(filter(None, named), ""))
        for message in messages:
            yield self._item(_inner(message), self._conversation)
        rest = {name: one for name, one in value.items() if name != "messages"} if isinstance(value, dict) else {}
        if rest and isinstance(value, dict) and messages is not value and "messages" in value and "type" not in value:
            yield Item(rest, f"rest:{place}", self._conversation, partial(Said, folded="other_member"))

    def _new(self, native: str) -> Conversation:
        key = f"{FORMAT_NAME}:{safe_key(native)}" if native else file_key(FORMAT_NAME, self._source)
        head = SessionHead(key=key, native_id=native or key, agent="claude-agent-sdk")
        return Conversation(format_name=FORMAT_NAME, head=head, created={"agent": head.agent}, has_ids=True)

    def _item(self, message: Any, conversation: Conversation) -> Item:
        index = self._position
        self._position += 1
        if not isinstance(message, dict):
            return Item(message, f"place:{index}", conversation, partial(_unfit, message))
        given = message.get("uuid")
        native = given if isinstance(given, str) and given else f"place:{index}"
        conversation = self._child(message.get("parent_tool_use_id"), conversation)
        return Item(message, native, conversation, self._reading(message, native, index))

    def _child(self, call_id: Any, parent: Conversation) -> Conversation:
        if not isinstance(call_id, str) or not call_id:
            return parent
        if call_id not in self._children:
            key = f"{parent.head.key}:{safe_key(call_id)}"
            head = SessionHead(key=key, native_id=call_id, agent="claude-agent-sdk", parent_key=parent.head.key)
            created = {"agent": head.agent, "parent_session": parent.head.native_id}
            self._children[call_id] = Conversation(format_name=FORMAT_NAME, head=head, created=created, has_ids=True)
        return self._children[call_id]

    def _reading(self, message: Json, native: str, index: int) -> partial[Said]:
        if message.get("type") == "control_request":
            request = message.get("request")
            if isinstance(request, dict):
                self._asked[str(message.get("request_id"))] = request
            return partial(_request, message)
        if message.get("type") == "control_response":
            response = message.get("response")
            name = str(response.get("request_id")) if isinstance(response, dict) else ""
            return partial(_response, message, self._asked.pop(name, {}), native)
        return partial(reading.read_message, message, index)


def _session_of(message: Any) -> str:
    found = message.get("session_id") if isinstance(message, dict) else None
    return found if isinstance(found, str) and found != "default" else ""


def _unfit(value: Any) -> Said:
    raise UnfitLine("wrong_type", detail=f"expected a message, found {kind_of(value)}")


def _request(message: Json) -> Said:
    return reading.read_request(fields.required_mapping(message, "request"))


def _response(message: Json, asked: Json, native: str) -> Said:
    return reading.read_response(fields.required_mapping(message, "response"), asked, native)


FORMAT = Format(
    name=FORMAT_NAME,
    label="Claude Agent SDK",
    looked_for='stdio messages of the Claude Agent SDK ("control_request", or "system" with subtype "init")',
    recognise=recognise,
    parse=parse,
)
