"""Messages to events: what each becomes in the vocabulary of the log, and what is kept of attributes that no rule reads."""

from __future__ import annotations

from typing import Any

from contextapp.engine import events
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact, content_hash
from contextapp.importers.otlp.attributes import as_text
from contextapp.importers.otlp.values import Message

MARK = "otlp"  # the member of a payload that says where in its conversation a message stands
_CONTENT = (
    "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.tool.definitions",
    "gen_ai.prompt", "gen_ai.completion", "llm.input_messages", "llm.output_messages", "llm.tools", "llm.prompts",
    "llm.request.functions", "ai.prompt", "ai.response.text", "ai.response.toolCalls", "ai.response.object",
    "ai.response.reasoning", "body", "request.body", "response.body", "request_body", "response_body",
)  # fmt: skip
_LONG_CHARS = 1000
_MOST_ATTRIBUTES = 150


def message_facts(message: Message, message_id: str, model: str, mark: Json) -> list[Fact]:
    """The events of one message, the first with the mark. Every message comes to at least one."""
    if message.role == "tool":
        payload: Json = {"call_id": message.call_id, "content": message.text, "is_error": message.is_error}
        if message.name:
            payload["name"] = message.name
        facts = [Fact(events.TOOL_COMPLETED, payload | _media(message))]
    elif message.role == "assistant":
        facts = _answer(message, message_id, model)
    elif message.role == "user":
        facts = [Fact(events.USER_MESSAGE, {"text": message.text, "message_id": message_id} | _media(message))]
    elif message.role == "system":
        named = {"id": message_id, "level": "session", "name": message_id, "path": ""}
        facts = [Fact(events.INSTRUCTIONS_LOADED, {**named, "text": message.text})]
    else:
        facts = [
            Fact(events.RESOURCE_INCLUDED, {"id": message_id, "kind": "message", "text": message.text, "by": "harness"})
        ]
    first = facts[0]
    return [Fact(first.type, {**first.payload, MARK: {**mark, "parts": len(facts)}}), *facts[1:]]


def again(message: Message, message_id: str, native: str) -> Fact:
    """The same words once more, as something the harness put there: they open no turn and are no call's answer."""
    if message.role == "tool":
        payload: Json = {"call_id": message.call_id, "content": message.text, "is_error": message.is_error}
        return Fact(events.TOOL_COMPLETED, payload | _media(message), native=native)
    calls = [f"{call.name} {as_text(call.arguments)}" for call in message.calls]
    text = "\n\n".join(filter(None, (message.text, *calls)))
    payload = {"id": message_id, "kind": "told_again", "title": message.role, "text": text, "by": "harness"}
    return Fact(events.RESOURCE_INCLUDED, payload | _media(message), native=native)


def _answer(message: Message, message_id: str, model: str) -> list[Fact]:
    said: Json = {"message_id": message_id, "model": model}
    facts = []
    if message.thinking:
        facts.append(Fact(events.MODEL_THINKING, {**said, "text": message.thinking, "redacted": False}))
    if message.text or message.media or not (message.calls or facts):
        facts.append(Fact(events.MODEL_MESSAGE, {**said, "text": message.text} | _media(message)))
    for call in message.calls:
        facts.append(
            Fact(events.TOOL_REQUESTED, {**said, "call_id": call.call_id, "name": call.name, "input": call.arguments})
        )
    return facts


def _media(message: Message) -> Json:
    return {"media": list(message.media)} if message.media else {}


def instruction(place: int, text: str) -> Fact:
    name = f"system:{place}"
    return Fact(events.INSTRUCTIONS_LOADED, {"id": name, "level": "session", "name": name, "path": "", "text": text})


def unknown(record_type: str, record: Json) -> Fact:
    return Fact(events.IMPORT_UNKNOWN, {"record_type": record_type, "record": record}, "audit")


def kept(attributes: Json, *, with_content: bool = False) -> Json:
    """Attributes as they were; of long ones length and hash, since spans around a call repeat its whole history."""
    found: Json = {}
    for number, (name, value) in enumerate(sorted(attributes.items())):
        if not with_content and name.startswith(_CONTENT):
            continue
        if number >= _MOST_ATTRIBUTES:
            rest = dict(sorted(attributes.items())[number:])
            found["_more"] = {"attributes": len(rest), "sha256": content_hash(rest)}
            break
        found[name[:200] + ("…" if len(name) > 200 else "")] = _short(value)
    return found


def _short(value: Any) -> Any:
    text = as_text(value)
    return value if len(text) <= _LONG_CHARS else {"chars": len(text), "sha256": content_hash(value)}
