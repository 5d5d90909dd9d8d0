"""Tool calls and their results as the model saw them. A call without a result stays open; none is made up."""

from __future__ import annotations

import json
import re
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.codex.changes import change_facts
from contextapp.importers.codex.content import read_parts
from contextapp.importers.codex.denials import denial_fact
from contextapp.importers.codex.reading import Calls, Effect, OpenCall, Reading
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import decode_values
from contextapp.importers.identity import Fact, content_hash

_EXITED = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,9})\b")
_CUT_CHARS = re.compile(r"…(\d{1,12}) chars truncated…")
_CUT_TOKENS = re.compile(r"…\d{1,12} tokens truncated…|\[\.\.\. omitted \d{1,9} of \d{1,9} lines \.\.\.\]")
_FAILED = re.compile(
    r"(?:failed in sandbox|execution error|apply_patch verification failed|aborted by user|\w+ failed: )"
)
_HEAD_CHARS = 400  # what Codex itself writes stands before the output


def read_call(item: Json) -> Reading:
    name = fields.required_string(item, "name", path="payload.name")
    text = fields.string(item, "arguments", path="payload.arguments") if _is_text(item) else None
    arguments = item["arguments"] if text is None and "arguments" in item else arguments_of(text or "")
    extra = {"namespace": space} if (space := fields.string(item, "namespace", path="payload.namespace")) else {}
    return _requested(_call_id(item), name, arguments, extra)


def read_custom_call(item: Json) -> Reading:
    """The input is text in a grammar of the tool's own, so it stays text."""
    name = fields.required_string(item, "name", path="payload.name")
    return _requested(_call_id(item), name, {"input": fields.string(item, "input", path="payload.input")})


def read_shell_call(item: Json) -> Reading:
    action = fields.mapping(item, "action", path="payload.action") or {}
    return _requested(_call_id(item), "local_shell", action)


def read_provider_call(item: Json) -> Reading:
    """A search at the provider: asked for here, answered inside the model's own turn, so the rollout holds no result."""
    action = fields.mapping(item, "action", path="payload.action") or {}
    kind = fields.string(item, "type", path="payload.type")
    return _requested(_call_id(item), kind.removesuffix("_call"), action, {"by": "provider"})


def read_result(item: Json, calls: Calls) -> Reading:
    call_id = fields.required_string(item, "call_id", path="payload.call_id")
    call = calls.get(call_id) or OpenCall(call_id, "")
    text, pictures, success = _output(item)
    exit_code = _exit_code(text)
    head = text[:_HEAD_CHARS]
    denial = denial_fact(call_id, head)
    failed = success is False or exit_code not in (None, 0) or denial is not None or bool(_FAILED.match(head))
    payload: Json = {"call_id": call_id, "content": text, "is_error": failed}
    if call.name:
        payload["name"] = call.name
    if exit_code is not None:
        payload["exit_code"] = exit_code
    if pictures:
        payload["media"] = pictures
    facts = [Fact(events.TOOL_COMPLETED, payload | _cut(text))]
    if denial is not None:
        facts.append(denial)
    if not failed:
        facts += change_facts(call, text)
    return Reading(tuple(facts), effect=Effect.RESULT, closed=call_id)


def arguments_of(text: str) -> Json:
    """Arguments are JSON in a string, as the model wrote them: what is no object is kept verbatim."""
    if not text:
        return {}
    try:
        parsed = decode_values(text)
    except UnfitLine:
        return {"_raw": text}
    return parsed[0] if len(parsed) == 1 and isinstance(parsed[0], dict) else {"_raw": text}


def _is_text(item: Json) -> bool:
    return not isinstance(item.get("arguments"), dict)


def _call_id(item: Json) -> str:
    """Searches have none, and old shell calls may have only the item's id."""
    for name in ("call_id", "id"):
        if found := fields.string(item, name, path=f"payload.{name}"):
            return found
    return f"unnamed-{content_hash(item)[:16]}"


def _requested(call_id: str, name: str, arguments: Json, extra: Json | None = None) -> Reading:
    payload = {"call_id": call_id, "name": name, "input": arguments, "message_id": "", "model": ""} | (extra or {})
    opened = OpenCall(call_id, name, arguments)
    return Reading((Fact(events.TOOL_REQUESTED, payload),), effect=Effect.CALL, opened=opened)


def _output(item: Json) -> tuple[str, list[Json], bool | None]:
    """Text, pictures, and whether it worked where the record says so: a string, parts, or an object around either."""
    output: Any = item.get("output", item.get("tools"))
    success: bool | None = None
    if isinstance(output, dict):
        told = output.get("success")
        success = told if isinstance(told, bool) else None
        output = output.get("content", output.get("content_items", json.dumps(output, ensure_ascii=False)))
    if item.get("type") == "tool_search_output":
        return json.dumps(output, ensure_ascii=False), [], success
    texts, pictures = read_parts(output, "payload.output")
    return "\n".join(texts), pictures, success


def _exit_code(text: str) -> int | None:
    """In the lines that Codex writes before the output, or beside it in the JSON of older versions."""
    if text.startswith("{"):
        metadata = arguments_of(text).get("metadata") if '"exit_code"' in text else None
        code = metadata.get("exit_code") if isinstance(metadata, dict) else None
        return code if isinstance(code, int) and not isinstance(code, bool) else None
    head, _, _ = text.partition("Output:")
    found = _EXITED.search(head[-_HEAD_CHARS:]) if head != text or text.startswith("Exit code:") else None
    return int(found[1]) if found else None


def _cut(text: str) -> Json:
    if found := _CUT_CHARS.search(text):
        return {"cut": {"shown_chars": len(text), "total_chars": len(text) + int(found[1])}}
    if _CUT_TOKENS.search(text) or text.startswith("Warning: truncated output"):
        return {"cut": {"shown_chars": len(text), "total_chars": None}}
    return {}
