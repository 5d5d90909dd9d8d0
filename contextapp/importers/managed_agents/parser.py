"""Walks the stream of a managed agent: recorded calls of the API, or its events alone. What was sent is told when it is sent;
its echo in the stream is folded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from contextapp.importers.contract import Format, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key
from contextapp.importers.decoding import kind_of
from contextapp.importers.heads import begun_values
from contextapp.importers.identity import content_hash, safe_key
from contextapp.importers.managed_agents.reading import model_of, read_event, read_session
from contextapp.importers.walking import Item, walk

FORMAT_NAME = "anthropic_managed_agents"
_METHOD = "client.beta.sessions."
_KINDS = ("agent.", "user.", "session.", "span.")
_ECHOED = ("content", "custom_tool_use_id", "tool_use_id", "result", "deny_message")


def parse(source: Source) -> Iterator[ParsedLine]:
    return walk(source, _Opening(source.name))


def recognise(head: bytes, name: str) -> bool:
    return any(_is_call(value) or any(_is_event(one) for one in _listed(value)[:5]) for value in begun_values(head)[:5])


def _is_call(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and value[0].startswith(_METHOD)


def _is_event(value: Any) -> bool:
    """An event has an id of the API's own; one that is only sent has none."""
    kind, own = (value.get("type"), value.get("id")) if isinstance(value, dict) else ("", "")
    return isinstance(kind, str) and kind.startswith(_KINDS) and isinstance(own, str) and own.startswith("sevt_")


def _listed(value: Any) -> list[Any]:
    """One event, some in an array, or a page of them."""
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        return list(value["data"])
    return value if isinstance(value, list) else [value]


class _Opening:
    def __init__(self, source_name: str) -> None:
        self._source = source_name
        self._conversation: Conversation | None = None
        self._position = 0
        self._model = self._request = ""
        self._sent: list[str] = []  # what the stream has not echoed yet

    def skip(self) -> None:
        self._position += 1

    def items(self, value: Any, place: str) -> Iterator[Item]:
        if not _is_call(value):
            for event in _listed(value):
                yield self._event(event, self._of(""))
            return
        method, payload = value[0].removeprefix(_METHOD), value[1]
        if method in ("create", "retrieve") and isinstance(payload, dict):
            conversation = self._of(str(payload.get("id") or ""))
            self._model = model_of(payload)
            yield Item(payload, "created", conversation, partial(read_session, payload))
        elif method == "events.send" and isinstance(payload, list) and len(payload) == 2:
            session, body = payload
            conversation = self._of(session if isinstance(session, str) else "")
            sent = body.get("events") if isinstance(body, dict) else None
            for event in sent if isinstance(sent, list) else [body]:
                yield self._event(event, conversation, is_sent=True)
        else:
            for event in _listed(payload):
                yield self._event(event, self._of(""))

    def _of(self, native: str) -> Conversation:
        if self._conversation is None:
            key = f"{FORMAT_NAME}:{safe_key(native)}" if native else file_key(FORMAT_NAME, self._source)
            head = SessionHead(key=key, native_id=native or key, agent="managed-agent")
            created = {"agent": "managed-agent"}
            self._conversation = Conversation(format_name=FORMAT_NAME, head=head, created=created, has_ids=True)
        return self._conversation

    def _event(self, event: Any, conversation: Conversation, *, is_sent: bool = False) -> Item:
        self._position += 1
        given = event.get("id") if isinstance(event, dict) else None
        native = given if isinstance(given, str) and given else f"place:{self._position}"
        if not isinstance(event, dict):
            return Item(event, native, conversation, partial(_unfit, event))
        if str(event.get("type")).startswith("user."):
            echo = content_hash([event.get("type"), *(event.get(name) for name in _ECHOED)])
            if is_sent:
                self._sent.append(echo)
            elif echo in self._sent:
                self._sent.remove(echo)
                return Item(event, native, conversation, partial(Said, folded="repeats_sent"))
        if event.get("type") == "span.model_request_start":
            self._request = native
        read = partial(read_event, event, native, self._request or native, self._model)
        if event.get("type") == "span.model_request_end":
            self._request = ""
        return Item(event, native, conversation, read)


def _unfit(value: Any) -> Said:
    raise UnfitLine("wrong_type", detail=f"expected an event, found {kind_of(value)}")


FORMAT = Format(
    name=FORMAT_NAME,
    label="Anthropic managed agents",
    looked_for='a managed agent\'s stream (events such as "agent.message" with ids "sevt_...")',
    recognise=recognise,
    parse=parse,
)
