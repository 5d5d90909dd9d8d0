"""One message of a Gemini CLI chat to the facts it states: answers hold their calls with their results. Changes nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.arrays import answers
from contextapp.importers.contract import Json
from contextapp.importers.conversation import Said, unknown
from contextapp.importers.identity import Fact
from contextapp.importers.openhands_v0.actions import included

_COMPRESSED = re.compile(r"chat history (?:was )?compressed", re.IGNORECASE)
_FIGURES = re.compile(r"from (\d+) to (\d+)")
_SHOWN = frozenset({"info", "warning"})


def read_message(message: Json, native: str) -> Said:
    at = fields.moment(message, "timestamp")
    kind = fields.required_string(message, "type")
    text, attached = read_parts(message.get("content"), "content")
    if kind == "user":
        payload: Json = {"text": text, "message_id": native}
        return Said((Fact(events.USER_MESSAGE, payload | ({"media": attached} if attached else {})),), at=at)
    if kind == "gemini":
        return Said(_answer(message, text, native), at=at)
    if kind in _SHOWN:
        return Said((_notice(kind, text, native),), at=at)
    if kind == "error":
        spoken = answers.message(text, native)
        return Said((replace(spoken, payload=spoken.payload | {"synthetic": True}, visibility="ui"),), at=at)
    return Said((unknown(kind, message),), at=at)


def read_parts(content: Any, path: str) -> tuple[str, list[Json]]:
    """A text, or parts of text and of data that came along."""
    if isinstance(content, str) or content is None:
        return content or "", []
    texts: list[str] = []
    attached: list[Json] = []
    for number, value in enumerate(content if isinstance(content, list) else [content]):
        if isinstance(value, str):
            texts.append(value)
            continue
        part = fields.as_mapping(value, f"{path}[{number}]")
        inline = part.get("inlineData")
        if isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(inline, dict):
            kind = fields.string(inline, "mimeType") or "application/octet-stream"
            attached.append(media.from_base64(fields.string(inline, "data"), kind))
        else:
            texts.append(json.dumps(part, ensure_ascii=False))
    return "\n\n".join(texts), attached


def _answer(message: Json, text: str, native: str) -> tuple[Fact, ...]:
    model = fields.string(message, "model")
    facts: list[Fact] = []
    for number, value in enumerate(fields.items(message, "thoughts")):
        thought = fields.as_mapping(value, f"thoughts[{number}]")
        told = [fields.string(thought, "subject"), fields.string(thought, "description")]
        facts.append(answers.thinking(answers.joined(told), native, model))
    calls = [
        fields.as_mapping(value, f"toolCalls[{number}]")
        for number, value in enumerate(fields.items(message, "toolCalls"))
    ]
    if text.strip() or not calls:
        facts.append(answers.message(text, native, model))
    results: list[Fact] = []
    for number, call in enumerate(calls):
        path = f"toolCalls[{number}]."
        call_id = fields.string(call, "id", path=f"{path}id") or f"{native}:{number}"
        name = fields.required_string(call, "name", path=f"{path}name")
        arguments = fields.mapping(call, "args", path=f"{path}args") or {}
        facts.append(answers.call(call_id, name, arguments, native, model))
        results += _result(call, call_id, name, path)
    return (*facts, *_bill(message, native, model), *results)


def _result(call: Json, call_id: str, name: str, path: str) -> list[Fact]:
    """No result, no event: the call stays open. A person's cancelling is their no."""
    status = fields.string(call, "status", path=f"{path}status")
    given = call.get("result")
    texts: list[str] = []
    attached: list[Json] = []
    failed = status in ("error", "cancelled")
    for value in given if isinstance(given, list) else ([] if given is None else [given]):
        response = value.get("functionResponse") if isinstance(value, dict) else None
        if not isinstance(response, dict):
            text, more = read_parts([value], f"{path}result")
            texts.append(text)
            attached += more
            continue
        inner = response.get("response")
        output = inner.get("output", inner.get("error")) if isinstance(inner, dict) else inner
        failed = failed or (isinstance(inner, dict) and "error" in inner and "output" not in inner)
        if output is None:
            output = inner
        texts.append(output if isinstance(output, str) else json.dumps(output, ensure_ascii=False))
    found: list[Fact] = []
    if given is not None or failed:
        content = answers.joined(texts)
        found.append(answers.result(call_id, content, is_error=failed, name=name, media=attached))
    if status == "cancelled":
        denial = {"call_id": call_id, "decision": "denied", "reason": answers.joined(texts), "by": "person"}
        found.append(Fact(events.PERMISSION_RESOLVED, denial | {"explicit": True}))
    if status == "success" and name in ("write_file", "replace"):
        arguments = call.get("args")
        place = arguments.get("file_path") if isinstance(arguments, dict) else None
        if isinstance(place, str) and place:
            found.append(Fact(events.FILE_CHANGED, {"path": place, "operation": "edited", "call_id": call_id}))
    return found


def _bill(message: Json, native: str, model: str) -> tuple[Fact, ...]:
    """Its input counts what came from the cache, its output leaves thoughts out."""
    tokens = fields.mapping(message, "tokens")
    if tokens is None:
        return ()
    names = ("input", "output", "cached", "thoughts", "tool")
    given, output, cached, thoughts, tool = [fields.count(tokens, name, path=f"tokens.{name}") or 0 for name in names]
    if not (given or output):
        return ()
    payload = {
        "message_id": native,
        "model": model,
        "input_uncached": max(given - cached, 0) + tool,
        "cache_read": cached,
        "cache_write": 0,
        "output": output + thoughts,
        "reasoning": thoughts,
        "quality": "exact",
    }
    return (Fact(events.USAGE_REPORTED, payload, native=native),)


def _notice(kind: str, text: str, native: str) -> Fact:
    if not _COMPRESSED.search(text):
        shown = included(f"harness_{kind}", f"{kind} of the harness", text, native)
        return replace(shown, visibility="ui")
    payload: Json = {"part": "boundary", "summary": "", "by": "harness"}
    if figures := _FIGURES.search(text):
        payload |= {"before_tokens": int(figures[1][:9]), "after_tokens": int(figures[2][:9])}
    return Fact(events.SESSION_COMPACTED, payload)
