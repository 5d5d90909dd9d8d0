"""Where the conversations of a file are: an array, an object that holds one, a list of either, lines of messages, or pairs of a
request and its response. Refuses nothing; what is no conversation comes out as one item that can't be read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from contextapp.engine import events
from contextapp.importers.arrays import answers
from contextapp.importers.arrays.gemini import GeminiThread
from contextapp.importers.arrays.shapes import is_anthropic_pair
from contextapp.importers.arrays.threads import (
    AnthropicThread,
    ChatThread,
    ResponsesThread,
    Thread,
    conversation_of,
)
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact
from contextapp.importers.walking import Item

LISTS = ("messages", "input", "contents")
PAIRS = "provider_pairs"
_FORMS: dict[str, tuple[type[AnthropicThread] | type[ResponsesThread], str]] = {
    "anthropic_messages": (AnthropicThread, "messages"),
    "openai_responses": (ResponsesThread, "input"),
}


class ArrayOpening:
    """Arrays of one provider. Lines that are messages make one conversation; lines that hold messages are their own."""

    def __init__(self, format_name: str, source_name: str) -> None:
        self._format, self._source = format_name, source_name
        self._form, self._list = _FORMS[format_name]
        self._lines = self._thread("", None)

    def skip(self) -> None:
        self._lines.next_index()

    def items(self, value: Any, place: str) -> Iterator[Item]:
        if isinstance(value, dict) and self._holds(value):
            yield from self._container(value, place, "")
        elif isinstance(value, list) and any(isinstance(part, list) or self._holds(part) for part in value):
            for number, part in enumerate(value):
                yield from self._run(part, ".".join(filter(None, (place, f"run-{number}"))), f"[{number}]")
        elif isinstance(value, list):
            yield from self._messages(self._thread(place, None), value, "")
        else:
            yield self._lines.item(value, "")

    def _run(self, part: Any, place: str, path: str) -> Iterator[Item]:
        if isinstance(part, dict) and self._holds(part):
            yield from self._container(part, place, f"{path}.")
        elif isinstance(part, list):
            yield from self._messages(self._thread(place, None), part, path)
        else:
            conversation = conversation_of(self._format, file_key(self._format, self._source, place))
            yield Item(part, "message:0", conversation, partial(_refuse, part, path))

    def _container(self, holder: Json, place: str, path: str) -> Iterator[Item]:
        thread = self._thread(place, holder)
        yield from request_items(thread, holder, path)
        if isinstance(holder.get("output"), list):  # a response that repeats what it was asked
            yield thread.answer({name: part for name, part in holder.items() if name != self._list}, None, "", path)
        elif isinstance(holder.get("usage"), dict):
            yield Item(holder["usage"], "usage", thread.conversation, partial(_total, holder, path))

    def _messages(self, thread: AnthropicThread | ResponsesThread, values: list[Any], path: str) -> Iterator[Item]:
        for number, value in enumerate(values):
            yield thread.item(value, f"{path}[{number}].")

    def _thread(self, place: str, holder: Json | None) -> AnthropicThread | ResponsesThread:
        key = file_key(self._format, self._source, place)
        return self._form(conversation_of(self._format, key, holder))

    def _holds(self, value: Any) -> bool:
        return (
            isinstance(value, dict)
            and not {"role", "type"} & value.keys()
            and isinstance(value.get(self._list), list | str)
        )


class PairOpening:
    """Each pair is a session: all its messages, and the answer with its bill."""

    def __init__(self, source_name: str) -> None:
        self._source = source_name

    def skip(self) -> None:
        """Pairs are known by their lines."""

    def items(self, value: Any, place: str) -> Iterator[Item]:
        if isinstance(value, list):
            for number, part in enumerate(value):
                name = ".".join(filter(None, (place, f"pair-{number}")))
                yield from self._pair(part, name, f"[{number}].")
        else:
            yield from self._pair(value, place, "")

    def _pair(self, value: Any, place: str, path: str) -> Iterator[Item]:
        key = file_key(PAIRS, self._source, place)
        request = request_of(value)
        if request is None:
            yield Item(value, "request", conversation_of(PAIRS, key), partial(_refuse, value, path.rstrip(".")))
            return
        thread = _thread_of(request, value, conversation_of(PAIRS, key, request))
        yield from request_items(thread, request, path if request is value else f"{path}request.")
        response = value.get("response")
        model = request.get("model", value.get("model"))
        yield thread.answer(
            response if isinstance(response, dict) else {},
            value.get("usage"),
            model if isinstance(model, str) else "",
            f"{path}response.",
        )


def request_of(value: Any) -> Json | None:
    """The request of a pair: beside its response under a name of its own, or the object that holds both."""
    if not isinstance(value, dict) or "response" not in value:
        return None
    inner = value.get("request")
    found = inner if isinstance(inner, dict) else value
    return found if any(isinstance(found.get(name), list | str) for name in LISTS) else None


def request_items(thread: Thread, request: Json, path: str) -> Iterator[Item]:
    if beside := thread.beside(request, path):
        yield beside
    name = next(name for name in LISTS if isinstance(request.get(name), list | str))
    given = request[name]
    if isinstance(given, str):
        yield thread.item({"role": "user", "content": given}, f"{path}{name}.")
        return
    for number, value in enumerate(given):
        yield thread.item(value, f"{path}{name}[{number}].")


def _thread_of(request: Json, pair: Json, conversation: Conversation) -> Thread:
    if isinstance(request.get("input"), list | str):
        return ResponsesThread(conversation)
    if "messages" not in request:
        return GeminiThread(conversation)
    return AnthropicThread(conversation) if is_anthropic_pair(request, pair) else ChatThread(conversation)


def _refuse(value: Any, path: str) -> Said:
    names = ", ".join(list(value)[:8]) if isinstance(value, dict) else kind_of(value)
    raise UnfitLine("not_a_conversation", field=path, detail=f"expected messages, found {names[:200]}")


def _total(holder: Json, path: str) -> Said:
    """A bill beside a whole array is of no single call."""
    model = holder.get("model")
    made = answers.bill(holder["usage"], "", model if isinstance(model, str) else "")
    return Said(tuple(_cumulative(fact) for fact in made), folded="no_usage")


def _cumulative(fact: Fact) -> Fact:
    return Fact(events.USAGE_REPORTED, fact.payload | {"quality": "cumulative"}, native="usage")
