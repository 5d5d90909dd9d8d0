"""Records of type `assistant`: one content block of a model's message, its usage, or the harness's own error text."""

from __future__ import annotations

import re
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.claude_code.reading import Calls, OpenCall, Reading
from contextapp.importers.claude_code.results import completed_by_provider
from contextapp.importers.claude_code.usage import usage_fact
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact

SYNTHETIC_MODEL = "<synthetic>"
_STATUS = re.compile(r"API Error:? \(?(\d{3})\b")


def read_assistant(record: Json, calls: Calls) -> Reading:
    message = fields.required_mapping(record, "message")
    record_id = fields.string(record, "uuid")
    message_id = fields.string(message, "id", path="message.id") or record_id
    model = fields.string(message, "model", path="message.model")
    blocks = content_blocks(message)
    if model == SYNTHETIC_MODEL or fields.flag(record, "isApiErrorMessage"):
        return _read_synthetic(record, blocks, message_id)
    facts: list[Fact] = []
    opened: list[OpenCall] = []
    closed: list[str] = []
    for number, block in enumerate(blocks):
        path = f"message.content[{number}]"
        fact = _read_block(block, path, message_id, model, f"{record_id}:{number}")
        facts.append(fact)
        if fact.type == events.TOOL_REQUESTED:
            opened.append(_open_call(fact.payload, has_native_id=block.get("id") is not None))
        elif fact.type == events.TOOL_COMPLETED:
            closed.append(fact.payload["call_id"])
    if usage := usage_fact(message, message_id, model):
        facts.append(usage)
    return Reading(
        tuple(facts),
        folded="empty_message",
        is_model_call=bool(facts),
        opened=tuple(opened),
        closed=tuple(closed),
        model=model,
    )


def content_blocks(message: Json) -> list[Json]:
    """Content as blocks: a plain string is one text block."""
    content: Any = message.get("content")
    if content is None:
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        detail = f"expected a string or an array, found {kind_of(content)}"
        raise UnfitLine("wrong_type", field="message.content", detail=detail)
    return [fields.as_mapping(block, f"message.content[{number}]") for number, block in enumerate(content)]


def _read_block(block: Json, path: str, message_id: str, model: str, fallback_id: str) -> Fact:
    kind = fields.required_string(block, "type", path=f"{path}.type")
    if kind == "text":
        text = fields.string(block, "text", path=f"{path}.text")
        return Fact(events.MODEL_MESSAGE, {"message_id": message_id, "text": text, "model": model})
    if kind in ("thinking", "redacted_thinking"):
        text = fields.string(block, "thinking", path=f"{path}.thinking")
        payload = {"message_id": message_id, "text": text, "model": model, "redacted": not text}
        return Fact(events.MODEL_THINKING, payload)
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        return _request(block, path, message_id, model, fallback_id)
    if kind.endswith("_tool_result"):
        return completed_by_provider(block, path, kind)
    return Fact(events.IMPORT_UNKNOWN, {"record_type": f"assistant/{kind}", "record": block}, "audit")


def _request(block: Json, path: str, message_id: str, model: str, fallback_id: str) -> Fact:
    payload = {
        "call_id": fields.string(block, "id", path=f"{path}.id") or fallback_id,
        "name": fields.required_string(block, "name", path=f"{path}.name"),
        "input": fields.mapping(block, "input", path=f"{path}.input") or {},
        "message_id": message_id,
        "model": model,
    }
    return Fact(events.TOOL_REQUESTED, payload)


def _open_call(payload: Json, *, has_native_id: bool) -> OpenCall:
    arguments = payload["input"]
    path = next((arguments[name] for name in ("file_path", "notebook_path", "path") if name in arguments), "")
    return OpenCall(payload["call_id"], payload["name"], path if isinstance(path, str) else "", has_native_id)


def _read_synthetic(record: Json, blocks: list[Json], message_id: str) -> Reading:
    """Text that the harness wrote in the model's place. Not a model call; the model never saw itself say it."""
    text = "\n".join(fields.string(block, "text") for block in blocks if block.get("type") == "text")
    status = fields.count(record, "apiErrorStatus")
    if status is None and (found := _STATUS.search(text)):
        status = int(found[1])
    payload = {"message_id": message_id, "text": text, "model": "", "synthetic": True, "error_status": status}
    return Reading((Fact(events.MODEL_MESSAGE, payload, "ui"),))
