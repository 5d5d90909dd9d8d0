"""A conversation in one provider's form: gives each message its position and says whose answer it belongs to. Reading is
left to `anthropic`, `responses` and the chat importer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.arrays import answers, anthropic, responses
from contextapp.importers.arrays.tools import tools_fact
from contextapp.importers.contract import Json, SessionHead, UnfitLine
from contextapp.importers.conversation import Conversation, Said, instruction
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact
from contextapp.importers.openai_chat import messages as chat
from contextapp.importers.walking import Item

_CALLING = frozenset({"tool_use", "pause_turn", "tool_calls", "function_call"})
_CONTINUES = ("previous_response_id", "conversation")


class Thread(Protocol):
    def item(self, value: Any, path: str) -> Item:
        """The next message, or an answer with its bill."""

    def beside(self, request: Json, path: str) -> Item | None:
        """What stands beside the messages: instructions and tools."""

    def answer(self, value: Json, usage: Any, model: str, path: str) -> Item:
        """The response to what was said so far; an empty one when only its bill is known."""


def conversation_of(format_name: str, key: str, request: Json | None = None) -> Conversation:
    """`continues` names a history that the provider keeps and the file does not hold."""
    asked = request or {}
    model = asked.get("model")
    head = SessionHead(key=key, native_id=key, agent="", model=model if isinstance(model, str) else "")
    earlier = next((asked[name] for name in _CONTINUES if isinstance(asked.get(name), str)), "")
    return Conversation(format_name=format_name, head=head, created={"continues": earlier} if earlier else None)


class Counted:
    """Positions: a message that is unfit keeps its own, so that the ids of later ones stand still."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.index = -1

    def next_index(self) -> int:
        self.index += 1
        return self.index

    def made(self, value: Any, native: str, read: partial[Said]) -> Item:
        return Item(value, native, self.conversation, read)


class AnthropicThread(Counted):
    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        self._tools: dict[str, Json] = {}

    def item(self, value: Any, path: str) -> Item:
        index = self.next_index()
        return self.made(value, f"message:{index}", partial(self._read, value, index, path))

    def _read(self, value: Any, index: int, path: str) -> Said:
        message = fields.as_mapping(value, path.rstrip(".") or "message")
        facts = anthropic.read_message(message, index, path, self._tools)
        if message.get("role") == "assistant":
            model = fields.string(message, "model", path=f"{path}model")
            facts += answers.bill(message.get("usage"), f"m{index}", model)
        return Said(facts, folded="empty_message")

    def beside(self, request: Json, path: str) -> Item | None:
        tools = request.get("tools")
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                self._tools[tool["name"]] = tool
        return stood_beside(self, request, path, "system")

    def answer(self, value: Json, usage: Any, model: str, path: str) -> Item:
        index = self.next_index()
        return self.made(value, f"message:{index}", partial(self._answer, value, usage, model, index, path))

    def _answer(self, response: Json, usage: Any, model: str, index: int, path: str) -> Said:
        model = fields.string(response, "model", path=f"{path}model") or model
        message_id = fields.string(response, "id", path=f"{path}id") or f"m{index}"
        stop = fields.string(response, "stop_reason", path=f"{path}stop_reason")
        facts = anthropic.read_answer(anthropic.blocks_of(response, path), message_id, path, model)
        return answered(facts, response, response.get("usage") or usage, message_id, model, stop)


class ResponsesThread(Counted):
    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        self._answer_id = self._search_id = ""

    def item(self, value: Any, path: str) -> Item:
        if isinstance(value, dict) and isinstance(value.get("output"), list) and "type" not in value:
            return self.answer(value, None, "", path)
        index = self.next_index()
        if not responses.is_of_the_model(value):
            self._answer_id = ""
        elif not self._answer_id:
            self._answer_id = f"m{index}"
        if isinstance(value, dict) and value.get("type") == "tool_search_call":
            given = value.get("call_id") or value.get("id")
            self._search_id = given if isinstance(given, str) else f"m{index}"
        read = partial(_read_item, value, index, self._answer_id, path, self._search_id)
        return self.made(value, f"message:{index}", read)

    def beside(self, request: Json, path: str) -> Item | None:
        return stood_beside(self, request, path, "instructions")

    def answer(self, value: Json, usage: Any, model: str, path: str) -> Item:
        self._answer_id = ""
        index = self.next_index()
        return self.made(value, f"message:{index}", partial(self._answer, value, usage, model, index, path))

    def _answer(self, response: Json, usage: Any, model: str, index: int, path: str) -> Said:
        model = fields.string(response, "model", path=f"{path}model") or model
        message_id = fields.string(response, "id", path=f"{path}id") or f"m{index}"
        facts: list[Fact] = []
        search_id = self._search_id
        for number, value in enumerate(fields.items(response, "output", path=f"{path}output")):
            place = f"{path}output[{number}]."
            item = fields.as_mapping(value, place.rstrip("."))
            made = responses.read_item(item, index, message_id, place, search_id)
            if item.get("type") == "tool_search_call" and made:
                search_id = made[0].payload["call_id"]
            facts += [_of_model(fact, model) for fact in made]
        calls = any(
            isinstance(one, dict) and one.get("type") in responses.OPEN_CALLS for one in response.get("output") or ()
        )
        stop = "tool_use" if calls else fields.string(response, "status", path=f"{path}status")
        told = tuple(facts) or (answers.message("", message_id, model),)
        return answered(told, response, response.get("usage") or usage, message_id, model, stop)


class ChatThread(Counted):
    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        self._functions: tuple[tuple[str, str], ...] = ()

    def item(self, value: Any, path: str) -> Item:
        index = self.next_index()
        read = partial(_read_chat, value, index, path, self._functions)
        called = value.get("function_call") if isinstance(value, dict) else None
        if isinstance(called, dict) and isinstance(called.get("name"), str):
            self._functions = (*self._functions, (called["name"], f"function:{index}"))
        return self.made(value, f"message:{index}", read)

    def beside(self, request: Json, path: str) -> Item | None:
        return stood_beside(self, request, path, "")

    def answer(self, value: Json, usage: Any, model: str, path: str) -> Item:
        index = self.next_index()
        return self.made(value, f"message:{index}", partial(self._answer, value, usage, model, index, path))

    def _answer(self, response: Json, usage: Any, model: str, index: int, path: str) -> Said:
        model = fields.string(response, "model", path=f"{path}model") or model
        facts: list[Fact] = []
        stop = ""
        for number, value in enumerate(fields.items(response, "choices", path=f"{path}choices")):
            place = f"{path}choices[{number}]"
            choice = fields.as_mapping(value, place)
            message = fields.mapping(choice, "message", path=f"{place}.message") or {}  # none when it was filtered
            if number:  # only the first one was gone on with
                facts.append(Fact(events.IMPORT_UNKNOWN, {"record_type": "choice", "record": choice}, "audit"))
                continue
            stop = fields.string(choice, "finish_reason", path=f"{place}.finish_reason")
            spoken = message | {"role": "assistant", "model": model}
            facts += chat.read_message(spoken, index, f"{place}.message.", ())
        message_id = f"m{index}"
        told = tuple(facts) or (answers.message("", message_id, model),)
        return answered(told, response, response.get("usage") or usage, message_id, model, stop)


def _read_item(value: Any, index: int, answer_id: str, path: str, search_id: str) -> Said:
    item = fields.as_mapping(value, path.rstrip(".") or "item")
    return Said(responses.read_item(item, index, answer_id or f"m{index}", path, search_id), folded="empty_message")


def _read_chat(value: Any, index: int, path: str, functions: tuple[tuple[str, str], ...]) -> Said:
    message = fields.as_mapping(value, path.rstrip(".") or "message")
    facts = chat.read_message(message, index, path, functions)
    return Said(tuple(_named_apart(fact, index) for fact in facts))


def _named_apart(fact: Fact, index: int) -> Fact:
    """Two system messages stand side by side in a request; instructions of one name would take each other's place."""
    if fact.type != events.INSTRUCTIONS_LOADED:
        return fact
    return replace(fact, payload=fact.payload | {"name": f"{fact.payload['name']}-m{index}"})


def _of_model(fact: Fact, model: str) -> Fact:
    return replace(fact, payload=fact.payload | {"model": model}) if fact.payload.get("model") == "" else fact


def stood_beside(thread: Counted, request: Json, path: str, instructions: str) -> Item | None:
    names = [name for name in (instructions, "tools", "functions") if name and request.get(name)]
    if not names:
        return None
    stood = {name: request[name] for name in names}
    return thread.made(stood, "request", partial(_read_beside, stood, path, instructions))


def _read_beside(stood: Json, path: str, instructions: str) -> Said:
    facts: list[Fact] = []
    given = stood.get(instructions)
    blocks = [given] if isinstance(given, str) else given or []
    if not isinstance(blocks, list):
        detail = f"expected a string or an array, found {kind_of(given)}"
        raise UnfitLine("wrong_type", field=f"{path}{instructions}", detail=detail)
    for number, block in enumerate(blocks):
        place = f"{path}{instructions}[{number}]"
        text = block if isinstance(block, str) else fields.string(fields.as_mapping(block, place), "text", path=place)
        facts.append(instruction(text, "system" if number == 0 else f"system-{number + 1}"))
    tools = [
        *fields.items(stood, "tools", path=f"{path}tools"),
        *fields.items(stood, "functions", path=f"{path}functions"),
    ]
    if tools:
        facts.append(tools_fact(tools, f"{path}tools"))
    return Said(tuple(facts))


def answered(facts: tuple[Fact, ...], response: Json, usage: Any, message_id: str, model: str, stop: str) -> Said:
    """The answer, its bill and, when the model waits for no result, the end of its turn; or the error that came instead."""
    error = response.get("error")
    if isinstance(error, dict) and error:
        code = error.get("code") or error.get("status")
        text = error.get("message")
        payload = {
            "message_id": message_id,
            "text": text if isinstance(text, str) else str(error)[:2000],
            "model": "",
            "synthetic": True,
            "error_status": code if isinstance(code, int) else None,
        }
        return Said((Fact(events.MODEL_MESSAGE, payload, "ui"),), at=_time_of(response))
    ended = () if not stop or stop in _CALLING else (Fact(events.TURN_COMPLETED, {"stop_reason": stop}),)
    return Said((*facts, *answers.bill(usage, message_id, model), *ended), at=_time_of(response))


def _time_of(response: Json) -> datetime | None:
    """A claimed time in seconds; what is out of all years is none."""
    value = response.get("created_at", response.get("created"))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 4_102_444_800:
        return None
    return datetime.fromtimestamp(value, UTC)
