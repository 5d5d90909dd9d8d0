"""Walks a Cline session - its head, its messages, a compacted copy - or a task of Cline classic or Roo, which is known by its
folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import PurePath
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.cline.messages import read_message, read_shown
from contextapp.importers.contract import Format, Json, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key, instruction
from contextapp.importers.decoding import kind_of
from contextapp.importers.heads import begun_values
from contextapp.importers.identity import Fact, safe_key
from contextapp.importers.walking import Item, walk

FORMAT_NAME = "cline"
_CREATED = {"format": FORMAT_NAME, "agent": "cline"}
_TASK_FILES = frozenset({"api_conversation_history.json", "ui_messages.json"})


def parse(source: Source) -> Iterator[ParsedLine]:
    return walk(source, _Opening(source.name))


def recognise(head: bytes, name: str) -> bool:
    values = begun_values(head)
    if len(values) != 1:
        return False
    if isinstance(values[0], list):
        return any(_is_timed(one) or _is_shown(one) for one in values[0][:3])
    return _is_session(values[0]) or _is_head(values[0])


def _is_session(value: Any) -> bool:
    return (
        isinstance(value, dict) and {"version", "sessionId", "messages"} <= value.keys() and "projectHash" not in value
    )


def _is_head(value: Any) -> bool:
    return isinstance(value, dict) and {"version", "session_id", "messages_path"} <= value.keys()


def _is_timed(value: Any) -> bool:
    """An Anthropic message with the time that Cline adds to it."""
    return isinstance(value, dict) and {"role", "content", "ts"} <= value.keys() and "type" not in value


def _is_shown(value: Any) -> bool:
    return isinstance(value, dict) and "ts" in value and value.get("type") in ("ask", "say") and value["type"] in value


class _Opening:
    def __init__(self, source_name: str) -> None:
        self._source = source_name

    def skip(self) -> None:
        """A session is a document; lines are sessions of their own."""

    def items(self, value: Any, place: str) -> Iterator[Item]:
        conversation = self._of(value, place)
        if isinstance(value, list):
            for index, record in enumerate(value):
                yield self._record(record, index, conversation)
        elif _is_head(value):
            yield Item(value, "head", conversation, partial(_head, value))
        elif isinstance(value, dict):
            rest = {name: part for name, part in value.items() if name != "messages"}
            yield Item(rest, "session", conversation, partial(_opening, rest))
            messages = value.get("messages")
            for index, message in enumerate(messages if isinstance(messages, list) else [messages]):
                yield self._record(message, index, conversation)
        else:
            yield Item(value, "document", conversation, partial(_unfit, value))

    def _of(self, value: Any, place: str) -> Conversation:
        """A copy that was compacted is a session beside the one it is of: it holds other messages under the same ids."""
        own = (value.get("sessionId") or value.get("session_id")) if isinstance(value, dict) else None
        path = PurePath(self._source)
        if isinstance(own, str) and own:
            is_copy = _is_session(value) and not path.name.endswith(".messages.json")
            key = f"{FORMAT_NAME}:{safe_key(own)}" + (f":{safe_key(path.stem)}" if is_copy else "")
        elif path.name in _TASK_FILES:
            key = file_key(FORMAT_NAME, str(path.parent))
        else:
            key = file_key(FORMAT_NAME, self._source, place)
        head = SessionHead(key=key, native_id=own if isinstance(own, str) and own else key, agent="cline")
        return Conversation(format_name=FORMAT_NAME, head=head, created=_CREATED, has_ids=True)

    def _record(self, record: Any, index: int, conversation: Conversation) -> Item:
        if not isinstance(record, dict):
            return Item(record, f"place:{index}", conversation, partial(_unfit, record))
        if _is_shown(record):
            return Item(record, f"shown:{index}", conversation, partial(read_shown, record))
        given = record.get("id")
        native = given if isinstance(given, str) and given else f"m{index}"
        return Item(record, native, conversation, partial(read_message, record, index, native))


def _unfit(value: Any) -> Said:
    raise UnfitLine("wrong_type", detail=f"expected a session or a message, found {kind_of(value)}")


def _opening(session: Json) -> Said:
    system = fields.string(session, "system_prompt")
    return Said((instruction(system, "system"),) if system else (), folded="head")


def _head(head: Json) -> Said:
    """The file beside the messages: where, on what model, under which title."""
    metadata = fields.mapping(head, "metadata") or {}
    told = (
        ("cwd", fields.string(head, "cwd")),
        ("model", fields.string(head, "model")),
        ("title", fields.string(metadata, "title", path="metadata.title")[:200]),
    )
    facts = (Fact(events.SESSION_CREATED, _CREATED, native="session"),)
    return Said(facts, at=fields.moment(head, "started_at"), told=told)


FORMAT = Format(
    name=FORMAT_NAME,
    label="Cline / Roo",
    looked_for='a Cline session ("sessionId" and "messages"), or a Cline or Roo task (messages with "ts")',
    recognise=recognise,
    parse=parse,
)
