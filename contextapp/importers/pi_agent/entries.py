"""One entry of a pi session to the facts it states. What a call named and which entries are copies is given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.arrays import answers
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.conversation import Said, unknown
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact
from contextapp.importers.openhands_v0.actions import included

_FOLDED = frozenset({"thinking_level_change", "label", "leaf"})
_CHANGES = {"edit": "edited", "write": "edited"}


def read_entry(entry: Json, native: str, through: str, changed: str) -> Said:
    """`through` is the last entry that a compaction stands for; `changed` the path that the result's call named."""
    at = fields.moment(entry, "timestamp")
    kind = fields.required_string(entry, "type")
    if kind == "message":
        return replace(_message(fields.required_mapping(entry, "message"), native, changed), at=at)
    if kind == "compaction":
        payload: Json = {"part": "whole", "summary": fields.required_string(entry, "summary"), "by": "harness"}
        payload |= {"before_tokens": fields.count(entry, "tokensBefore")}
        return Said((Fact(events.SESSION_COMPACTED, payload | ({"through": through} if through else {})),), at=at)
    if kind == "branch_summary":
        text = fields.string(entry, "summary")
        return Said((included("branch_summary", "summary of another branch", text, native),), at=at)
    if kind == "custom_message":
        text, _ = _parts(entry.get("content"), "content")
        return Said((included("extension", fields.string(entry, "customType"), text, native),), at=at)
    if kind == "model_change":
        return Said(folded="model_change", at=at, told=(("model", fields.string(entry, "modelId")),))
    if kind == "session_info":
        return Said(folded="title", at=at, told=(("title", fields.string(entry, "name")[:200]),))
    if kind in _FOLDED:
        return Said(folded=kind, at=at)
    return Said((unknown(kind, entry),), at=at)


def _message(message: Json, native: str, changed: str) -> Said:
    role = fields.required_string(message, "role", path="message.role")
    if role == "user":
        text, attached = _parts(message.get("content"), "message.content")
        payload: Json = {"text": text, "message_id": native}
        return Said((Fact(events.USER_MESSAGE, payload | ({"media": attached} if attached else {})),))
    if role == "assistant":
        return Said(_answer(message, native))
    if role == "toolResult":
        return Said(_result(message, changed))
    if role == "bashExecution":
        command = fields.string(message, "command", path="message.command")
        output = fields.string(message, "output", path="message.output")
        ran = included("shell_command", "command of the user", f"$ {command}\n{output}", native, by="user")
        hidden = message.get("excludeFromContext") is True
        return Said((replace(ran, visibility="ui") if hidden else ran,))
    if role in ("custom", "hookMessage"):
        text, _ = _parts(message.get("content"), "message.content")
        return Said((included("extension", "message of an extension", text, native),))
    return Said((unknown(f"message/{role}", message),))


def _parts(content: Any, path: str) -> tuple[str, list[Json]]:
    if content is None or isinstance(content, str):
        return content or "", []
    if not isinstance(content, list):
        raise UnfitLine("wrong_type", field=path, detail=f"expected a string or an array, found {kind_of(content)}")
    texts: list[str] = []
    attached: list[Json] = []
    for number, value in enumerate(content):
        part = fields.as_mapping(value, f"{path}[{number}]")
        if part.get("type") == "image":
            kind = fields.string(part, "mimeType") or "image/unknown"
            attached.append(media.from_base64(fields.string(part, "data"), kind))
        else:
            texts.append(fields.string(part, "text", path=f"{path}[{number}].text"))
    return "\n\n".join(texts), attached


def _answer(message: Json, native: str) -> tuple[Fact, ...]:
    """An answer that was broken off, or never came, ends its turn; what it says of an error is for people."""
    model = fields.string(message, "model", path="message.model")
    facts: list[Fact] = []
    for number, value in enumerate(fields.items(message, "content", path="message.content")):
        path = f"message.content[{number}]"
        part = fields.as_mapping(value, path)
        kind = fields.required_string(part, "type", path=f"{path}.type")
        if kind == "text":
            facts.append(answers.message(fields.string(part, "text", path=f"{path}.text"), native, model))
        elif kind == "thinking":
            facts.append(answers.thinking(fields.string(part, "thinking", path=f"{path}.thinking"), native, model))
        elif kind == "toolCall":
            name = fields.required_string(part, "name", path=f"{path}.name")
            call_id = fields.string(part, "id", path=f"{path}.id") or f"{native}:{number}"
            facts.append(answers.call(call_id, name, answers.arguments_of(part.get("arguments")), native, model))
        else:
            facts.append(unknown(f"assistant/{kind}", part))
    facts += _bill(message, native, model)
    stop = fields.string(message, "stopReason", path="message.stopReason")
    error = fields.string(message, "errorMessage", path="message.errorMessage")
    if stop == "error":
        spoken = answers.message(error, f"{native}:error", model)
        facts.append(replace(spoken, payload=spoken.payload | {"synthetic": True}, visibility="ui"))
    if stop and stop != "toolUse":
        facts.append(Fact(events.TURN_COMPLETED, {"stop_reason": stop}))
    return tuple(facts) or (answers.message("", native, model),)


def _bill(message: Json, native: str, model: str) -> tuple[Fact, ...]:
    """Its input leaves the cache out. A request that was broken off before its answer was billed nothing."""
    usage = fields.mapping(message, "usage", path="message.usage")
    names = ("input", "cacheRead", "cacheWrite", "output")
    figures = [fields.count(usage or {}, name, path=f"message.usage.{name}") or 0 for name in names]
    if not any(figures):
        return ()
    kept = dict(zip(("input_uncached", "cache_read", "cache_write", "output"), figures, strict=True))
    payload = {"message_id": native, "model": model, **kept, "reasoning": None, "quality": "exact"}
    return (Fact(events.USAGE_REPORTED, payload, native=native),)


def _result(message: Json, changed: str) -> tuple[Fact, ...]:
    call_id = fields.required_string(message, "toolCallId", path="message.toolCallId")
    name = fields.string(message, "toolName", path="message.toolName")
    text, attached = _parts(message.get("content"), "message.content")
    failed = fields.flag(message, "isError")
    cut: Json | None = None
    details = message.get("details")
    cutting = details.get("truncation") if isinstance(details, dict) else None
    if isinstance(cutting, dict) and cutting.get("truncated") is True:
        cut = {"shown_chars": len(text), "total_chars": None}
    result = answers.result(call_id, text, is_error=failed, name=name, media=attached, cut=cut)
    if failed or not changed or name not in _CHANGES:
        return (result,)
    return (result, Fact(events.FILE_CHANGED, {"path": changed, "operation": _CHANGES[name], "call_id": call_id}))
