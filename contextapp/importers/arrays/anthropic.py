"""One message of the Anthropic Messages API to the facts it states: several results in one user message, thinking, tools
that ran at the provider. Changes nothing; signatures and cache marks are dropped."""

from __future__ import annotations

import json
from collections.abc import Mapping

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.arrays import answers
from contextapp.importers.arrays.tools import tools_fact
from contextapp.importers.claude_code.results import completed_by_provider, content_of
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.conversation import instruction, unknown
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact

ROLES = frozenset({"user", "assistant", "system"})
CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
MEDIA = frozenset({"image", "document"})


def read_message(message: Json, index: int, path: str, tools: Mapping[str, Json]) -> tuple[Fact, ...]:
    """`tools` are the declared ones by name, for a message that adds one of them."""
    role = fields.required_string(message, "role", path=f"{path}role")
    if role not in ROLES:
        detail = f"{role[:60]!r} is none of {', '.join(sorted(ROLES))}"
        raise UnfitLine("unknown_role", field=f"{path}role", detail=detail)
    blocks = _blocks(message, path)
    if role == "system":
        return _system(blocks, index, path, tools)
    if role == "assistant":
        model = fields.string(message, "model", path=f"{path}model")
        return read_answer(blocks, f"m{index}", path, model)
    return _user(blocks, index, path)


def read_answer(blocks: list[Json], message_id: str, path: str, model: str) -> tuple[Fact, ...]:
    facts = [
        fact
        for number, block in enumerate(blocks)
        for fact in _said(block, f"{path}content[{number}]", message_id, f"{message_id}:{number}", model)
    ]
    return tuple(facts) or (answers.message("", message_id, model),)


def _blocks(message: Json, path: str) -> list[Json]:
    content = message.get("content")
    if content is None or isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if not isinstance(content, list):
        detail = f"expected a string or an array, found {kind_of(content)}"
        raise UnfitLine("wrong_type", field=f"{path}content", detail=detail)
    return [fields.as_mapping(block, f"{path}content[{number}]") for number, block in enumerate(content)]


def blocks_of(response: Json, path: str) -> list[Json]:
    return _blocks(response, path)


def _user(blocks: list[Json], index: int, path: str) -> tuple[Fact, ...]:
    """Results first, as the API wants them, then the person's words and pictures as one message."""
    facts: list[Fact] = []
    texts: list[str] = []
    attached: list[Json] = []
    for number, block in enumerate(blocks):
        place = f"{path}content[{number}]"
        kind = fields.required_string(block, "type", path=f"{place}.type")
        if kind == "tool_result":
            facts.append(_result(block, place))
        elif kind == "text":
            texts.append(fields.string(block, "text", path=f"{place}.text"))
        elif kind in MEDIA:
            attached.append(media.from_anthropic(block))
        elif kind == "container_upload":
            file_id = fields.string(block, "file_id", path=f"{place}.file_id")
            attached.append({"media_type": "application/octet-stream", "url": file_id})
        else:
            texts.append(json.dumps(block, ensure_ascii=False))
    if texts or attached or not facts:
        payload: Json = {"text": "\n\n".join(texts), "message_id": f"m{index}"}
        facts.append(Fact(events.USER_MESSAGE, payload | ({"media": attached} if attached else {})))
    return tuple(facts)


def _result(block: Json, path: str) -> Fact:
    call_id = fields.required_string(block, "tool_use_id", path=f"{path}.tool_use_id")
    is_error = block.get("is_error")
    if is_error is not None and not isinstance(is_error, bool):
        detail = f"expected a boolean, found {kind_of(is_error)}"
        raise UnfitLine("wrong_type", field=f"{path}.is_error", detail=detail)
    text, pictures = content_of(block, path)
    return answers.result(call_id, text, is_error=bool(is_error), media=pictures)


def _system(blocks: list[Json], index: int, path: str, tools: Mapping[str, Json]) -> tuple[Fact, ...]:
    facts: list[Fact] = []
    for number, block in enumerate(blocks):
        place = f"{path}content[{number}]"
        kind = fields.required_string(block, "type", path=f"{place}.type")
        if kind == "text":
            facts.append(instruction(fields.string(block, "text", path=f"{place}.text"), f"system-m{index}.{number}"))
        elif kind in ("tool_addition", "tool_removal"):
            tool = fields.required_mapping(block, "tool", path=f"{place}.tool")
            name = fields.string(tool, "tool_name", path=f"{place}.tool.tool_name")
            name = name or fields.required_string(tool, "name", path=f"{place}.tool.name")
            mode = "add" if kind == "tool_addition" else "remove"
            facts.append(tools_fact([tools.get(name, {"name": name})], f"{place}.tool", mode=mode))
        else:
            facts.append(unknown(f"system/{kind}", block))
    return tuple(facts)


def _said(block: Json, path: str, message_id: str, fallback_id: str, model: str) -> tuple[Fact, ...]:
    kind = fields.required_string(block, "type", path=f"{path}.type")
    if kind == "text":
        return (answers.message(fields.string(block, "text", path=f"{path}.text"), message_id, model),)
    if kind in ("thinking", "redacted_thinking"):
        return (answers.thinking(fields.string(block, "thinking", path=f"{path}.thinking"), message_id, model),)
    if kind in CALLS:
        name = fields.required_string(block, "name", path=f"{path}.name")
        arguments = fields.mapping(block, "input", path=f"{path}.input") or {}
        call_id = fields.string(block, "id", path=f"{path}.id") or fallback_id
        return (answers.call(call_id, name, arguments, message_id, model),)
    if kind.endswith("_tool_result"):
        return (completed_by_provider(block, path, kind),)
    if kind == "compaction":
        return (_compaction(block, path),)
    return (unknown(f"assistant/{kind}", block),)


def _compaction(block: Json, path: str) -> Fact:
    """The API drops what stands before this block and gives the model the block instead."""
    summary = fields.string(block, "content", path=f"{path}.content")
    payload = {"part": "whole" if summary else "boundary", "summary": summary, "by": "anthropic"}
    return Fact(events.SESSION_COMPACTED, payload)
