"""What a model wrote, whatever the provider calls it: texts, thoughts, calls and bills as facts. Ends no turn."""

from __future__ import annotations

import json
from typing import Any

from contextapp.engine import events
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import decode_values
from contextapp.importers.identity import Fact
from contextapp.importers.otlp.usage import usage_of


def message(text: str, message_id: str, model: str = "") -> Fact:
    return Fact(events.MODEL_MESSAGE, {"message_id": message_id, "text": text, "model": model})


def thinking(text: str, message_id: str, model: str = "") -> Fact:
    payload = {"message_id": message_id, "text": text, "model": model, "redacted": not text}
    return Fact(events.MODEL_THINKING, payload)


def call(call_id: str, name: str, arguments: Json, message_id: str, model: str = "") -> Fact:
    payload = {"call_id": call_id, "name": name, "input": arguments, "message_id": message_id, "model": model}
    return Fact(events.TOOL_REQUESTED, payload)


def result(call_id: str, content: str, *, is_error: bool = False, name: str = "", **more: Any) -> Fact:
    payload: Json = {"call_id": call_id, "content": content, "is_error": is_error}
    if name:
        payload["name"] = name
    payload |= {part: value for part, value in more.items() if value not in (None, "", [])}
    return Fact(events.TOOL_COMPLETED, payload)


def unrecorded_result(call_id: str, name: str) -> Fact:
    """The provider says that its tool ran, and leaves out what it gave."""
    return result(call_id, "", name=name, cut={"shown_chars": 0, "total_chars": None})


def bill(usage: Any, message_id: str, model: str) -> tuple[Fact, ...]:
    figures = usage_of(usage)
    if figures is None:
        return ()
    return (Fact(events.USAGE_REPORTED, {"message_id": message_id, "model": model, **figures}),)


def arguments_of(value: object) -> Json:
    """Arguments are JSON inside a string, as the model wrote them: what is no object is kept verbatim."""
    if isinstance(value, dict):
        return value
    if value is None or value == "":
        return {}
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        parsed = decode_values(text)
    except UnfitLine:
        return {"_raw": text}
    return parsed[0] if len(parsed) == 1 and isinstance(parsed[0], dict) else {"_raw": text}


def joined(texts: list[str]) -> str:
    return "\n\n".join(text for text in texts if text)
