"""The neutral request as an OpenAI Chat Completions body, and that provider's own rules as a check. Decides nothing:
blocks stand in the order they come in and no text is changed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from contextapp.engine.request.frame import joined
from contextapp.engine.request.neutral import Block, ModelRequest

Body = dict[str, Any]  # the provider's JSON
Message = dict[str, Any]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NOT_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")
ROLES = frozenset({"system", "user", "assistant", "tool"})


def render(request: ModelRequest) -> Body:
    """The body of one Chat Completions call; `validate` finds nothing wrong in it."""
    body: Body = {"model": request.model, "messages": [_message(group) for group in joined(request.blocks)]}
    tools = [_tool(tool) for block in request.blocks for tool in block.tools]
    if tools:
        body["tools"] = tools
    if request.max_output_tokens > 0:
        body["max_completion_tokens"] = request.max_output_tokens
    return body


def _message(group: Sequence[Block]) -> Message:
    first = group[0]
    text = "\n\n".join(block.text for block in group)
    if first.role == "tool":
        return {"role": "tool", "tool_call_id": first.call_id, "content": text}
    if first.role == "assistant" and first.calls:
        return {"role": "assistant", "content": text or None, "tool_calls": [_call(*call) for call in first.calls]}
    return {"role": first.role, "content": text}


def _call(call_id: str, name: str, arguments: str) -> Body:
    return {"id": call_id, "type": "function", "function": {"name": function_name(name), "arguments": arguments}}


def _tool(tool: Mapping[str, Any]) -> Body:
    return {
        "type": "function",
        "function": {
            "name": function_name(str(tool.get("name", ""))),
            "description": str(tool.get("description", "")),
            "parameters": tool.get("schema") or {"type": "object", "properties": {}},
        },
    }


def function_name(name: str) -> str:
    """The name as the provider takes it. A name that had to change carries a hash, so that two never become one."""
    if _NAME.fullmatch(name):
        return name
    mark = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{_NOT_IN_NAME.sub('_', name)[:55]}_{mark}"


def validate(body: Mapping[str, Any]) -> tuple[str, ...]:
    """What the provider would refuse, in words; empty when nothing."""
    problems: list[str] = []
    awaited: list[str] = []  # ids of the calls that must be answered next
    for place, message in enumerate(body["messages"]):
        role = message.get("role")
        if role not in ROLES:
            problems.append(f"message {place}: role {role!r} is unknown")
        if role == "tool":
            if message.get("tool_call_id") in awaited:
                awaited.remove(message["tool_call_id"])
            else:
                problems.append(f"message {place}: result {message.get('tool_call_id')!r} answers no call before it")
        elif awaited:
            problems.append(f"message {place}: calls {awaited} have no result")
            awaited = []
        awaited += _calls_of(message, place, problems)
        if not message.get("content") and not message.get("tool_calls"):
            problems.append(f"message {place}: {role} has no content")
    if awaited:
        problems.append(f"calls {awaited} at the end have no result")
    problems += _tool_problems(body.get("tools", []))
    if body.get("max_completion_tokens", 1) < 1:
        problems.append(f"max_completion_tokens {body['max_completion_tokens']} is below 1")
    return tuple(problems)


def _calls_of(message: Mapping[str, Any], place: int, problems: list[str]) -> list[str]:
    found: list[str] = []
    for call in message.get("tool_calls", ()):
        if message["role"] != "assistant":
            problems.append(f"message {place}: {message['role']} makes a call")
        if not call["id"] or call["id"] in found:
            problems.append(f"message {place}: call id {call['id']!r} is empty or used twice")
        if not _NAME.fullmatch(call["function"]["name"]):
            problems.append(f"message {place}: function name {call['function']['name']!r} is refused")
        if not isinstance(call["function"]["arguments"], str):
            problems.append(f"message {place}: arguments are no text")
        found.append(call["id"])
    return found


def _tool_problems(tools: Sequence[Mapping[str, Any]]) -> list[str]:
    names = [tool["function"]["name"] for tool in tools]
    twice = sorted({name for name in names if names.count(name) > 1})
    refused = [name for name in names if not _NAME.fullmatch(name)]
    surrogates = [] if not tools or _encodes(tools) else ["a tool schema holds a lone surrogate"]
    return (
        [f"tool {name!r} is listed twice" for name in twice] + [f"tool name {name!r}" for name in refused] + surrogates
    )


def _encodes(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
