"""One chat message to the facts it states. Reads the run's open function calls; changes nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import decode_values
from contextapp.importers.identity import Fact, content_hash
from contextapp.importers.openai_chat.content import read_content

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def read_message(message: Json, index: int, path: str, unanswered: Sequence[tuple[str, str]]) -> tuple[Fact, ...]:
    """`unanswered` are (name, call id) of old-style function calls, whose results carry a name only."""
    role = fields.required_string(message, "role", path=f"{path}role")
    if role not in ROLES:
        raise UnfitLine(
            "unknown_role", field=f"{path}role", detail=f"{role[:60]!r} is none of {', '.join(sorted(ROLES))}"
        )
    text, attached = read_content(message, path)
    with_media: Json = {"media": attached} if attached else {}
    if role in ("system", "developer"):
        identity = f"session:{content_hash(text)[:12]}"
        return (
            Fact(
                events.INSTRUCTIONS_LOADED, {"id": identity, "level": "session", "name": role, "path": "", "text": text}
            ),
        )
    if role == "user":
        return (Fact(events.USER_MESSAGE, {"text": text, "message_id": f"m{index}"} | with_media),)
    if role == "assistant":
        return _assistant(message, text, index, path)
    if role == "tool":
        call_id = fields.required_string(message, "tool_call_id", path=f"{path}tool_call_id")
    else:
        name = fields.required_string(message, "name", path=f"{path}name")
        call_id = next((known for called, known in reversed(unanswered) if called == name), f"function:{index}")
    payload: Json = {"call_id": call_id, "content": text, "is_error": False} | with_media
    if name := fields.string(message, "name", path=f"{path}name"):
        payload["name"] = name
    return (Fact(events.TOOL_COMPLETED, payload),)


def _assistant(message: Json, text: str, index: int, path: str) -> tuple[Fact, ...]:
    message_id = f"m{index}"
    model = fields.string(message, "model", path=f"{path}model")
    facts = []
    for name in ("reasoning_content", "reasoning"):
        if isinstance(message.get(name), str) and message[name]:
            thought = {"message_id": message_id, "text": message[name], "model": model, "redacted": False}
            facts.append(Fact(events.MODEL_THINKING, thought))
            break
    refusal = fields.string(message, "refusal", path=f"{path}refusal")
    calls = fields.items(message, "tool_calls", path=f"{path}tool_calls")
    function_call = fields.mapping(message, "function_call", path=f"{path}function_call")
    if text or refusal or not (calls or function_call):
        facts.append(Fact(events.MODEL_MESSAGE, {"message_id": message_id, "text": text or refusal, "model": model}))
    for number, value in enumerate(calls):
        place = f"{path}tool_calls[{number}]"
        call = fields.as_mapping(value, place)
        call_id = fields.string(call, "id", path=f"{place}.id") or f"{message_id}:{number}"
        facts.append(_request(call, call_id, message_id, model, place))
    if function_call is not None:
        call = {"function": function_call}
        facts.append(_request(call, f"function:{index}", message_id, model, f"{path}function_call"))
    return tuple(facts)


def _request(call: Json, call_id: str, message_id: str, model: str, path: str) -> Fact:
    function = call.get("function")
    if function is None and isinstance(call.get("custom"), dict):
        custom = call["custom"]
        name, arguments = (
            fields.required_string(custom, "name", path=f"{path}.custom.name"),
            {"input": custom.get("input")},
        )
    else:
        called = fields.as_mapping(function, f"{path}.function")
        name = fields.required_string(called, "name", path=f"{path}.function.name")
        arguments = _arguments(called.get("arguments"))
    payload = {"call_id": call_id, "name": name, "input": arguments, "message_id": message_id, "model": model}
    return Fact(events.TOOL_REQUESTED, payload)


def _arguments(value: object) -> Json:
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
