"""Walks a Gemini CLI chat: its head, its messages, its patches. A message that is written again adds only what is new in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from contextapp.importers import fields
from contextapp.importers.contract import Format, Json, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key, unknown
from contextapp.importers.decoding import kind_of
from contextapp.importers.gemini_cli.messages import read_message
from contextapp.importers.heads import begun_values
from contextapp.importers.identity import safe_key
from contextapp.importers.walking import Item, walk

FORMAT_NAME = "gemini_cli"
_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})


def parse(source: Source) -> Iterator[ParsedLine]:
    return walk(source, _Opening(source.name))


def recognise(head: bytes, name: str) -> bool:
    return any(_is_head(value) or _is_answer(value) for value in begun_values(head)[:5])


def _is_head(value: Any) -> bool:
    return isinstance(value, dict) and {"sessionId", "projectHash"} <= value.keys()


def _is_answer(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "gemini" and "content" in value


class _Opening:
    def __init__(self, source_name: str) -> None:
        self._source = source_name
        self._conversation: Conversation | None = None
        self._position = 0

    def skip(self) -> None:
        self._position += 1

    def items(self, value: Any, place: str) -> Iterator[Item]:
        self._position += 1
        conversation = self._of(value)
        if not isinstance(value, dict):
            yield Item(value, f"place:{self._position}", conversation, partial(_unfit, value))
        elif _is_head(value):
            head = {name: part for name, part in value.items() if name != "messages"}
            yield Item(head, "head", conversation, partial(_head, head))
            yield from self._messages(value.get("messages"), conversation)
        elif isinstance(patch := value.get("$set"), dict):
            rest = {"$set": {name: part for name, part in patch.items() if name != "messages"}}
            yield Item(rest, f"patch:{self._position}", conversation, partial(Said, folded="patch"))
            yield from self._messages(patch.get("messages"), conversation)
        elif "type" not in value and "id" not in value:
            read = partial(_unknown, next(iter(value), "empty"), value)
            yield Item(value, f"place:{self._position}", conversation, read)
        else:
            yield self._message(value, f"place:{self._position}", conversation)

    def _of(self, value: Any) -> Conversation:
        if self._conversation is None:
            own = value.get("sessionId") if isinstance(value, dict) and _is_head(value) else None
            native = own if isinstance(own, str) and own else ""
            key = f"{FORMAT_NAME}:{safe_key(native)}" if native else file_key(FORMAT_NAME, self._source)
            head = SessionHead(key=key, native_id=native or key, agent="gemini-cli")
            created = {"agent": "gemini-cli"}
            self._conversation = Conversation(format_name=FORMAT_NAME, head=head, created=created, has_ids=True)
        return self._conversation

    def _messages(self, messages: Any, conversation: Conversation) -> Iterator[Item]:
        if messages is not None and not isinstance(messages, list):
            yield Item(messages, "messages", conversation, partial(_unfit, messages))
            return
        for number, message in enumerate(messages or ()):
            yield self._message(message, f"message:{number}", conversation)

    def _message(self, message: Any, place: str, conversation: Conversation) -> Item:
        if not isinstance(message, dict):
            return Item(message, place, conversation, partial(_unfit, message))
        given = message.get("id")
        native = given if isinstance(given, str) and given else place
        return Item(message, native, conversation, partial(read_message, message, native))


def _unfit(value: Any) -> Said:
    raise UnfitLine("wrong_type", detail=f"expected a message of a chat, found {kind_of(value)}")


def _unknown(kind: str, value: Json) -> Said:
    return Said((unknown(kind, value),))


def _head(head: Json) -> Said:
    return Said(folded="head", at=fields.moment(head, "startTime"))


FORMAT = Format(
    name=FORMAT_NAME,
    label="Gemini CLI",
    looked_for='a Gemini CLI chat (an object with "sessionId" and "projectHash", or messages of type "gemini")',
    recognise=recognise,
    parse=parse,
)
