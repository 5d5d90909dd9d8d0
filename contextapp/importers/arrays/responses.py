"""One item of the OpenAI Responses API to the facts it states. Several items make one answer; whose answer an item belongs
to is given. Changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.arrays import answers
from contextapp.importers.arrays.tools import tools_fact
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.conversation import instruction, unknown
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact

ROLES = frozenset({"user", "assistant", "system", "developer"})
# Calls that the client runs and answers with an item of its own; other calls ran at the provider and are over.
OPEN_CALLS = frozenset(
    {"computer_call", "local_shell_call", "shell_call", "apply_patch_call", "function_call", "custom_tool_call"}
)
_ENVELOPE = frozenset({"type", "id", "call_id", "status", "outputs", "results", "result", "output", "error"})


def is_of_the_model(item: Any) -> bool:
    """An item that goes on with the answer before it."""
    if not isinstance(item, dict):
        return False
    kind = item.get("type")
    if kind in (None, "message"):
        return item.get("role") == "assistant"
    return isinstance(kind, str) and (
        kind in ("reasoning", "mcp_list_tools", "mcp_approval_request")
        or kind.endswith("_call")
        or (kind == "tool_search_output" and item.get("execution") == "server")
    )


def read_item(item: Json, index: int, answer_id: str, path: str, search_id: str) -> tuple[Fact, ...]:
    """`search_id` is the search for tools that an output without an id answers."""
    kind = fields.string(item, "type", path=f"{path}type") or "message"
    if kind == "message":
        return _message(item, index, answer_id, path)
    if kind == "tool_search_output":
        return _found_tools(item, path, search_id)
    if reader := _READERS.get(kind):
        return reader(item, index, answer_id, path)
    if kind.endswith("_call"):
        return _call(item, kind, index, answer_id, path)
    if kind.endswith(("_call_output", "_output")):
        return (_output(item, path),)
    return (unknown(f"item/{kind}", item),)


def _message(item: Json, index: int, answer_id: str, path: str) -> tuple[Fact, ...]:
    role = fields.required_string(item, "role", path=f"{path}role")
    if role not in ROLES:
        detail = f"{role[:60]!r} is none of {', '.join(sorted(ROLES))}"
        raise UnfitLine("unknown_role", field=f"{path}role", detail=detail)
    text, attached = content_of(item.get("content"), f"{path}content")
    if role == "assistant":
        return (answers.message(text, answer_id, fields.string(item, "model", path=f"{path}model")),)
    if role in ("system", "developer"):
        return (instruction(text, f"{role}-m{index}"),)
    payload: Json = {"text": text, "message_id": f"m{index}"}
    return (Fact(events.USER_MESSAGE, payload | ({"media": attached} if attached else {})),)


def content_of(content: Any, path: str) -> tuple[str, list[Json]]:
    """A string, or parts of text, pictures and files. Nothing is fetched from an address."""
    if content is None or isinstance(content, str):
        return content or "", []
    if not isinstance(content, list):
        detail = f"expected a string or an array, found {kind_of(content)}"
        raise UnfitLine("wrong_type", field=path, detail=detail)
    texts: list[str] = []
    attached: list[Json] = []
    for number, value in enumerate(content):
        place = f"{path}[{number}]"
        part = fields.as_mapping(value, place)
        kind = fields.string(part, "type", path=f"{place}.type")
        if kind in ("input_text", "output_text", "text", "summary_text", "reasoning_text", "refusal"):
            name = "refusal" if kind == "refusal" else "text"
            texts.append(fields.string(part, name, path=f"{place}.{name}"))
        elif kind in ("input_image", "input_file", "computer_screenshot", "input_audio"):
            attached.append(_medium(part, kind))
        else:
            texts.append(json.dumps(part, ensure_ascii=False))
    return "\n\n".join(texts), attached


def _medium(part: Json, kind: str) -> Json:
    media_type = "application/octet-stream" if kind == "input_file" else "image/unknown"
    names = ("image_url", "file_data", "file_url", "file_id")
    found = next((part[name] for name in names if isinstance(part.get(name), str)), "")
    return media.from_url(found, media_type)


def _reasoning(item: Json, index: int, answer_id: str, path: str) -> tuple[Fact, ...]:
    said, _ = content_of(item.get("content"), f"{path}content")
    summary, _ = content_of(item.get("summary"), f"{path}summary")
    return (answers.thinking(said or summary, answer_id),)


def _function_call(item: Json, index: int, answer_id: str, path: str) -> tuple[Fact, ...]:
    name = fields.required_string(item, "name", path=f"{path}name")
    call_id = fields.string(item, "call_id", path=f"{path}call_id") or f"m{index}"
    if item.get("type") == "custom_tool_call":
        return (answers.call(call_id, name, {"input": fields.string(item, "input", path=f"{path}input")}, answer_id),)
    return (answers.call(call_id, name, answers.arguments_of(item.get("arguments")), answer_id),)


def _output(item: Json, path: str) -> Fact:
    call_id = fields.required_string(item, "call_id", path=f"{path}call_id")
    given = item.get("output")
    if isinstance(given, dict):
        given = [given]
    text, attached = content_of(given, f"{path}output")
    failed = item.get("status") in ("failed", "incomplete")
    return answers.result(call_id, text, is_error=failed, media=attached)


def _call(item: Json, kind: str, index: int, answer_id: str, path: str) -> tuple[Fact, ...]:
    """A tool of the provider: what it was asked and, where it ran there, what it gave as far as the item says."""
    name = kind.removesuffix("_call")
    call_id = fields.string(item, "call_id", path=f"{path}call_id")
    call_id = call_id or fields.string(item, "id", path=f"{path}id") or f"m{index}"
    asked = {part: value for part, value in item.items() if part not in _ENVELOPE}
    request = answers.call(call_id, name, asked, answer_id)
    if kind in OPEN_CALLS or kind == "tool_search_call" or item.get("status") not in ("completed", None):
        return (request,)
    picture = item.get("result")
    if isinstance(picture, str) and picture:
        return (request, answers.result(call_id, "", name=name, media=[media.from_base64(picture, "image/png")]))
    gave = next((item[part] for part in ("outputs", "results", "output") if item.get(part)), None)
    if gave is None:
        return (request, answers.unrecorded_result(call_id, name))
    text = gave if isinstance(gave, str) else json.dumps(gave, ensure_ascii=False)
    return (request, answers.result(call_id, text, name=name))


def _mcp_call(item: Json, index: int, answer_id: str, path: str) -> tuple[Fact, ...]:
    call_id = fields.string(item, "id", path=f"{path}id") or f"m{index}"
    name = fields.required_string(item, "name", path=f"{path}name")
    request = answers.call(call_id, name, answers.arguments_of(item.get("arguments")), answer_id)
    error, output = item.get("error"), item.get("output")
    if error is None and output is None:
        return (request,)
    said = error if error is not None else output
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return (request, answers.result(call_id, text, is_error=error is not None, name=name))


def _found_tools(item: Json, path: str, search_id: str) -> tuple[Fact, ...]:
    call_id = fields.string(item, "call_id", path=f"{path}call_id") or search_id
    tools = tools_fact(fields.items(item, "tools", path=f"{path}tools"), f"{path}tools", mode="add")
    names = json.dumps([entry["name"] for entry in tools.payload["tools"]])
    return (answers.result(call_id, names, name="tool_search"), tools) if call_id else (tools,)


def _added_tools(item: Json, index: int, answer_id: str, path: str) -> tuple[Fact, ...]:
    server = fields.string(item, "server_label", path=f"{path}server_label")
    tools = fields.items(item, "tools", path=f"{path}tools")
    return (tools_fact(tools, f"{path}tools", mode="add", server=server),)


def _asked(item: Json, index: int, answer_id: str, path: str) -> tuple[Fact, ...]:
    call_id = fields.required_string(item, "id", path=f"{path}id")
    name = fields.string(item, "name", path=f"{path}name")
    return (Fact(events.PERMISSION_REQUESTED, {"call_id": call_id, "tool": name}),)


def _decided(item: Json, index: int, answer_id: str, path: str) -> tuple[Fact, ...]:
    payload = {
        "call_id": fields.required_string(item, "approval_request_id", path=f"{path}approval_request_id"),
        "decision": "allowed" if fields.flag(item, "approve") else "denied",
        "reason": fields.string(item, "reason", path=f"{path}reason"),
        "by": "person",
        "explicit": True,
    }
    return (Fact(events.PERMISSION_RESOLVED, payload),)


def _compaction(item: Json, index: int, answer_id: str, path: str) -> tuple[Fact, ...]:
    """What the provider made of the earlier items is encrypted: that it took their place is all there is to know."""
    return (Fact(events.SESSION_COMPACTED, {"part": "boundary", "by": "openai"}),)


_READERS: dict[str, Callable[[Json, int, str, str], tuple[Fact, ...]]] = {
    "reasoning": _reasoning,
    "function_call": _function_call,
    "custom_tool_call": _function_call,
    "mcp_call": _mcp_call,
    "mcp_list_tools": _added_tools,
    "additional_tools": _added_tools,
    "mcp_approval_request": _asked,
    "mcp_approval_response": _decided,
    "compaction": _compaction,
    "compaction_summary": _compaction,
}
