"""Which provider's form a JSON value has, by what only that provider writes. Looks at values, never at names of files."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from contextapp.importers.contract import Json

_ANTHROPIC_BLOCKS = frozenset(
    {"tool_use", "tool_result", "redacted_thinking", "server_tool_use", "mcp_tool_use", "container_upload"}
)
_RESPONSES_ITEMS = frozenset(
    {
        "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning",
        "web_search_call", "file_search_call", "code_interpreter_call", "mcp_call", "mcp_list_tools", "computer_call",
        "computer_call_output", "local_shell_call", "local_shell_call_output", "image_generation_call",
        "tool_search_call", "tool_search_output", "item_reference", "mcp_approval_request", "mcp_approval_response",
    }
)  # fmt: skip
# Members that other tools write around messages of these forms: theirs are formats of their own.
_OTHERS = frozenset(
    {
        "payload", "session_id", "sessionId", "trajectory", "steps", "events", "history", "samples", "traces", "record_type",
        "agent", "instance_id", "systemPayload", "message", "timestamp", "uuid", "trajectory_format", "choices",
    }
)  # fmt: skip
_ASKED = frozenset(
    {"instructions", "tools", "previous_response_id", "output", "reasoning", "max_output_tokens", "store", "include"}
)
_ROLES = frozenset({"user", "assistant", "system", "developer"})


def is_pair(value: Any) -> bool:
    """A request and its response, in one object or side by side."""
    if not isinstance(value, dict) or "response" not in value:
        return False
    response = value["response"]
    inner = value.get("request")
    if isinstance(inner, dict):
        return _is_request(inner) and isinstance(response, dict | None)
    names = ("choices", "output", "content", "candidates")
    answered = isinstance(response, dict) and any(name in response for name in names)
    return answered and _is_request(value)


def _is_request(value: Json) -> bool:
    if isinstance(value.get("messages"), list) or isinstance(value.get("contents"), list):
        return True
    return isinstance(value.get("input"), list | str)


def is_anthropic_pair(request: Json, pair: Json) -> bool:
    response = pair.get("response")
    if isinstance(response, dict) and ("choices" in response or response.get("type") == "message"):
        return "choices" not in response
    if str(pair.get("api", "")).startswith("anthropic"):
        return True
    return _is_anthropic_body(request)


def is_anthropic(value: Any) -> bool:
    """A message, an array or an object that holds one."""
    if isinstance(value, list):
        lists = [part for part in value if isinstance(part, list) or _holds(part, "messages")]
        return any(map(is_anthropic, lists[:5])) if lists else _has_blocks(value)
    if not isinstance(value, dict) or _OTHERS & value.keys():
        return False
    return _is_anthropic_body(value) if _holds(value, "messages") else _has_blocks([value])


def is_responses(value: Any) -> bool:
    """An item, a response, an array or an object that holds one."""
    if isinstance(value, list):
        lists = [part for part in value if isinstance(part, list) or _holds(part, "input") or _is_response(part)]
        return any(map(is_responses, lists[:5])) if lists else _has_items(value)
    if not isinstance(value, dict) or _OTHERS & value.keys():
        return False
    if _is_response(value):
        return True
    given = value.get("input")
    if _holds(value, "input"):
        if isinstance(given, list):
            return _has_items(given) or _is_asked(given)
        return bool(_ASKED & value.keys())
    return _has_items([value])


def _is_anthropic_body(body: Json) -> bool:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not _is_message(messages[0]) or _has_chat_parts(messages):
        return False
    tools = body.get("tools")
    declared = isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)
    model = body.get("model")
    named = isinstance(model, str) and "claude" in model and "max_tokens" in body
    return declared or named or isinstance(body.get("system"), str | list) or _has_blocks(messages)


def _has_blocks(messages: list[Any]) -> bool:
    if not messages or not _is_message(messages[0]) or _has_chat_parts(messages):
        return False
    return any(_is_anthropic_block(block) for message in messages if _is_message(message) for block in _parts(message))


def _is_anthropic_block(block: Any) -> bool:
    if not isinstance(block, dict):
        return False
    kind = block.get("type")
    if kind in ("image", "document"):
        return isinstance(block.get("source"), dict)
    if kind == "thinking":
        return isinstance(block.get("thinking"), str)
    return _is_named(block, "type", _ANTHROPIC_BLOCKS)


def _has_chat_parts(messages: list[Any]) -> bool:
    return any(
        isinstance(message, dict)
        and (_is_named(message, "role", ("tool", "function")) or "tool_calls" in message or "parts" in message)
        for message in messages
    )


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and _is_named(value, "role", _ROLES)
        and "content" in value
        and not _OTHERS & value.keys()
    )


def _parts(message: Json) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _is_response(value: Any) -> bool:
    return isinstance(value, dict) and value.get("object") == "response" and isinstance(value.get("output"), list)


def _has_items(values: list[Any]) -> bool:
    """A few strange items don't make a conversation something else; a few known ones make no conversation of a stranger."""
    items = [isinstance(value, dict) and not _OTHERS & value.keys() and _is_item(value) for value in values]
    spoken = [isinstance(value, dict) and _is_named(value, "role", _ROLES) and "content" in value for value in values]
    fit = [item or said for item, said in zip(items, spoken, strict=True)]
    return any(items) and 2 * sum(fit) > len(fit)


def _is_item(value: Json) -> bool:
    kind = value.get("type")
    if kind == "message":
        return _is_named(value, "role", _ROLES) and isinstance(value.get("content"), str | list)
    if kind == "reasoning":
        return "summary" in value or "encrypted_content" in value
    return (
        isinstance(kind, str)
        and kind in _RESPONSES_ITEMS
        and bool({"id", "call_id", "approval_request_id"} & value.keys())
    )


def _is_asked(given: list[Any]) -> bool:
    """A request whose input is messages only; a request for embeddings has texts there."""
    return bool(given) and all(isinstance(item, dict) and item.get("role") in _ROLES for item in given)


def _holds(value: Any, name: str) -> bool:
    return isinstance(value, dict) and not {"role", "type"} & value.keys() and isinstance(value.get(name), list | str)


def _is_named(value: Json, name: str, names: Container[str]) -> bool:
    found = value.get(name)
    return isinstance(found, str) and found in names
