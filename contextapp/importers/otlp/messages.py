"""Messages of any of the known shapes - chat, content blocks, parts - as one shape. A part that nobody knows stays as its
JSON text; a result is a message of its own, wherever its writer put it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from contextapp.importers import media
from contextapp.importers.contract import Json
from contextapp.importers.otlp.attributes import as_text, read_json
from contextapp.importers.otlp.values import Message, ToolCall

_ROLES = {
    "system": "system", "developer": "system", "user": "user", "human": "user", "assistant": "assistant",
    "model": "assistant", "ai": "assistant", "tool": "tool", "function": "tool", "ipython": "tool",
}  # fmt: skip
_TEXTS = frozenset({"text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text"})
_THOUGHTS = frozenset({"reasoning", "thinking", "redacted_thinking"})
_CALLS = frozenset({"tool_call", "tool_use", "tool-call", "function_call", "custom_tool_call", "server_tool_use"})
_RESULTS = frozenset(
    {"tool_call_response", "tool_result", "tool-result", "function_call_output", "custom_tool_call_output"}
)
_MEDIA = frozenset(
    {"image", "document", "image_url", "input_image", "input_file", "file", "blob", "uri", "input_audio"}
)


@dataclass(slots=True)
class _Parts:
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    media: list[Json] = field(default_factory=list)


def read_messages(values: Any) -> tuple[Message, ...]:
    """All messages, in order: of a list, of one message, or of a bare text, which a user says."""
    values = read_json(values)
    if isinstance(values, str):
        return (Message("user", values),) if values else ()
    found: list[Message] = []
    was_item = False
    for number, value in enumerate(values if isinstance(values, list) else [values]):
        is_item = isinstance(value, dict) and isinstance(value.get("type"), str)
        made = _read(value, number)
        if was_item and is_item and found and made[0].role == found[-1].role == "assistant":
            found[-1] = _joined(found[-1], made[0])
            made = made[1:]
        found += made
        was_item = is_item
    return tuple(found)


def _read(value: Any, number: int) -> list[Message]:
    if not isinstance(value, dict):
        return [Message("user", as_text(value))]
    kind = value.get("type")
    if "role" not in value and isinstance(kind, str) and kind != "message":  # an item of the Responses API
        parts = _Parts()
        _take(parts, value, number)
        role = "user" if kind.startswith("input_") else "assistant"
        return _made(role, parts, value)
    given = value.get("role")
    role = _ROLES.get(given.lower(), "other") if isinstance(given, str) else "other"
    parts = _Parts()
    for name in ("content", "contents", "parts"):
        content = value.get(name)
        for part in content if isinstance(content, list) else [content]:
            _take(parts, part, number, role)
    for name in ("reasoning_content", "reasoning", "thinking"):
        if isinstance(value.get(name), str):
            parts.thoughts.append(value[name])
            break
    calls = value.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        parts.calls.append(_call(call, number, len(parts.calls)))
    if isinstance(value.get("function_call"), dict):
        parts.calls.append(_call(value["function_call"], number, len(parts.calls)))
    return _made(role, parts, value)


def _made(role: str, parts: _Parts, value: Json) -> list[Message]:
    body, thinking = "\n\n".join(filter(None, parts.texts)), "\n\n".join(filter(None, parts.thoughts))
    if role == "tool" and not parts.results:
        call_id = _first(value, "tool_call_id", "call_id", "id") or _first(value, "name")
        return [Message("tool", body, call_id=call_id, name=_first(value, "name"), media=tuple(parts.media))]
    made = list(parts.results)
    if body or thinking or parts.calls or parts.media or not made:
        role = "user" if role == "tool" else role
        made.append(Message(role, body, thinking, tuple(parts.calls), tuple(parts.media), name=_first(value, "name")))
    return made


def _take(parts: _Parts, part: Any, number: int, role: str = "") -> None:
    if not isinstance(part, dict):
        parts.texts.append(as_text(part))
        return
    kind = part.get("type")
    kind = kind if isinstance(kind, str) else ""
    if (
        role == "tool"
        and kind not in _RESULTS
        and kind not in _MEDIA
        and kind not in _TEXTS
        and "functionResponse" not in part
    ):
        parts.texts.append(as_text(part))
    elif kind in _THOUGHTS:
        parts.thoughts.append(_said(part, "content", "text", "thinking", "summary"))
    elif kind in _CALLS or isinstance(part.get("functionCall"), dict):
        parts.calls.append(_call(part.get("functionCall", part), number, len(parts.calls)))
    elif kind in _RESULTS or isinstance(part.get("functionResponse"), dict):
        parts.results.append(_result(part.get("functionResponse", part)))
    elif kind in _TEXTS or (not kind and isinstance(part.get("text"), str)):
        parts.texts.append(_said(part, "text", "content", "refusal"))
    elif kind in _MEDIA or "inlineData" in part or "fileData" in part:
        parts.media.append(_medium(part))
    else:
        parts.texts.append(as_text(part))


def _said(part: Json, *names: str) -> str:
    value = next((part[name] for name in names if part.get(name)), "")
    if isinstance(value, list):
        return "\n\n".join(_said(one, "text") if isinstance(one, dict) else as_text(one) for one in value)
    return as_text(value)


def _call(value: Any, number: int, place: int) -> ToolCall:
    call = value if isinstance(value, dict) else {"name": as_text(value)}
    function = call.get("function") if isinstance(call.get("function"), dict) else call
    assert isinstance(function, dict)
    names = ("arguments", "input", "args")
    given: Any = next((function[name] for name in names if function.get(name) is not None), {})
    arguments = read_json(given)
    if not isinstance(arguments, dict):
        arguments = {"_raw": as_text(arguments)} if arguments not in ("", None) else {}
    name = _first(function, "name", "toolName", "tool_name")
    call_id = _first(call, "call_id", "id", "toolCallId", "tool_call_id") or f"{name or 'call'}:{number}.{place}"
    return ToolCall(call_id, name, arguments)


def _result(part: Json) -> Message:
    call_id = _first(part, "tool_use_id", "toolCallId", "call_id", "tool_call_id", "id") or _first(part, "name")
    value = next((part[name] for name in ("content", "result", "response", "output") if part.get(name) is not None), "")
    is_error = part.get("is_error") is True or part.get("isError") is True
    if isinstance(value, dict) and set(value) == {"type", "value"}:  # Vercel names the kind of an output
        is_error = is_error or str(value["type"]).startswith("error")
        value = value["value"]
    inner = _Parts()
    for piece in value if isinstance(value, list) else [value]:
        known = isinstance(piece, dict) and (piece.get("type") in _TEXTS or piece.get("type") in _MEDIA)
        _take(inner, piece if known or not isinstance(piece, dict) else as_text(piece), 0)
    body = "\n\n".join(filter(None, inner.texts))
    name = _first(part, "name", "toolName")
    return Message("tool", body, media=tuple(inner.media), call_id=call_id, name=name, is_error=is_error)


def _medium(part: Json) -> Json:
    image = part.get("image_url")
    reference = image.get("url") if isinstance(image, dict) else image
    if isinstance(reference, str):
        return media.from_url(reference, "image/unknown")
    inline = part.get("inlineData") or part.get("fileData") or part
    inline = inline if isinstance(inline, dict) else part
    kind = _first(inline, "mime_type", "mimeType", "mediaType") or "application/octet-stream"
    for name in ("content", "data", "file_data", "image"):
        if isinstance(inline.get(name), str):
            return (
                media.from_url(inline[name], kind)
                if ":" in inline[name][:12]
                else media.from_base64(inline[name], kind)
            )
    for name in ("uri", "fileUri", "file_id", "file_url"):
        if isinstance(inline.get(name), str):
            return {"media_type": kind, "url": inline[name]}
    return media.from_anthropic(part)


def _first(value: Json, *names: str) -> str:
    return next(
        (str(value[name]) for name in names if isinstance(value.get(name), str | int) and value[name] != ""), ""
    )


def _joined(first: Message, second: Message) -> Message:
    """One answer: the Responses API gives its thinking, its text and its calls as items of their own."""
    text = "\n\n".join(filter(None, (first.text, second.text)))
    thinking = "\n\n".join(filter(None, (first.thinking, second.thinking)))
    return Message("assistant", text, thinking, first.calls + second.calls, first.media + second.media)
