"""Tool results: the text the model saw, and from the copy beside it what the text leaves out. Never keeps whole files."""

from __future__ import annotations

import json
import re
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.claude_code.changes import change_facts
from contextapp.importers.claude_code.denials import denial_fact
from contextapp.importers.claude_code.reading import Calls, OpenCall
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact

_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d{1,9})\b")
_PERSISTED = re.compile(r"Output too large \((\d{1,9}(?:\.\d{1,3})?)\s*(B|KB|MB|GB)\)")
_CUT_CHARS = re.compile(r"\[(\d{1,12}) characters truncated\]")
_CUT_LINES = re.compile(r"\.\.\. \[\d{1,12} lines truncated\] \.\.\.")
_UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}


def result_facts(block: Json, structured: Any, calls: Calls, path: str, fallback_id: str) -> tuple[Fact, ...]:
    """The result as it stands, then the refusal it speaks of, or what it changed."""
    call = _answered(fields.string(block, "tool_use_id", path=f"{path}.tool_use_id"), calls, fallback_id)
    text, pictures = content_of(block, path)
    is_error = block.get("is_error")
    if is_error is not None and not isinstance(is_error, bool):
        detail = f"expected a boolean, found {kind_of(is_error)}"
        raise UnfitLine("wrong_type", field=f"{path}.is_error", detail=detail)
    payload: Json = {"call_id": call.call_id, "content": text, "is_error": bool(is_error)}
    if call.name:
        payload["name"] = call.name
    if pictures:
        payload["media"] = pictures
    copy: Json = structured if isinstance(structured, dict) else {}
    payload |= _exit_code(text, copy, is_error=bool(is_error)) | _read_range(copy) | _cut(text, copy)
    facts = [Fact(events.TOOL_COMPLETED, payload)]
    if is_error and (denial := denial_fact(call.call_id, text)):
        facts.append(denial)
    if not is_error:
        facts += change_facts(call, copy, text)
    return tuple(facts)


def completed_by_provider(block: Json, path: str, kind: str) -> Fact:
    """The result of a tool that ran at the provider, inside the model's own message."""
    content = block.get("content")
    failed = isinstance(content, dict) and "error_code" in content
    payload = {
        "call_id": fields.string(block, "tool_use_id", path=f"{path}.tool_use_id"),
        "content": content if isinstance(content, str) else json.dumps(content, ensure_ascii=False),
        "is_error": failed,
        "name": kind.removesuffix("_tool_result"),
    }
    return Fact(events.TOOL_COMPLETED, payload)


def _answered(call_id: str, calls: Calls, fallback_id: str) -> OpenCall:
    """The call this result answers; without an id, the oldest open call that had none either."""
    if call_id:
        return calls.get(call_id) or OpenCall(call_id, "")
    nameless = (call for call in calls.values() if not call.has_native_id)
    return next(nameless, OpenCall(fallback_id, ""))


def content_of(block: Json, path: str) -> tuple[str, list[Json]]:
    """The text of a result, and its pictures. Blocks of kinds we don't know are shown as their JSON."""
    content = block.get("content")
    if content is None or isinstance(content, str):
        return content or "", []
    if not isinstance(content, list):
        detail = f"expected a string or an array, found {kind_of(content)}"
        raise UnfitLine("wrong_type", field=f"{path}.content", detail=detail)
    texts: list[str] = []
    pictures: list[Json] = []
    for number, part in enumerate(content):
        inner = fields.as_mapping(part, f"{path}.content[{number}]")
        kind = inner.get("type")
        if kind == "text":
            texts.append(fields.string(inner, "text", path=f"{path}.content[{number}].text"))
        elif kind in ("image", "document"):
            pictures.append(media.from_anthropic(inner))
        elif kind == "tool_reference":
            texts.append(f"[tool reference: {inner.get('tool_name')}]")
        else:
            texts.append(json.dumps(inner, ensure_ascii=False))
    return "\n".join(texts), pictures


def _exit_code(text: str, copy: Json, *, is_error: bool) -> Json:
    if is_error:
        found = _EXIT_CODE.match(text)
        return {"exit_code": int(found[1])} if found else {}
    ran = "stdout" in copy and copy.get("interrupted") is False
    unsure = copy.get("returnCodeInterpretation") or copy.get("backgroundTaskId")
    return {"exit_code": 0} if ran and not unsure else {}


def _read_range(copy: Json) -> Json:
    file = copy.get("file")
    if not isinstance(file, dict):
        return {}
    start, shown, total = (_number(file, name) for name in ("startLine", "numLines", "totalLines"))
    if start is None or shown is None or total is None:
        return {}
    return {"read_range": {"first_line": start, "last_line": max(start + shown - 1, start), "total_lines": total}}


def _number(copy: Json, name: str) -> int | None:
    value = copy.get(name)
    return value if isinstance(value, int) else None


def _cut(text: str, copy: Json) -> Json:
    """How much of the output the harness let through, where it says so."""
    persisted = copy.get("persistedOutputSize")
    if isinstance(persisted, int) and persisted > len(text):
        return {"cut": {"shown_chars": len(text), "total_chars": persisted}}
    if text.startswith("<persisted-output>") and (found := _PERSISTED.search(text[:300])):
        return {"cut": {"shown_chars": len(text), "total_chars": round(float(found[1]) * _UNITS[found[2]])}}
    ran = "stdout" in copy  # only a command's own output says this; a file that is read may quote it
    if ran and (found := _CUT_CHARS.search(text)):
        return {"cut": {"shown_chars": len(text), "total_chars": len(text) + int(found[1])}}
    if copy.get("truncated") is True or (ran and _CUT_LINES.search(text)):
        return {"cut": {"shown_chars": len(text), "total_chars": None}}
    return {}
