"""The neutral request as an OpenAI Chat Completions body, and that provider's own rules as a check. Decides nothing:
blocks stand in the order they come in and no text is changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contextapp.engine.request import functions
from contextapp.engine.request.frame import joined
from contextapp.engine.request.functions import Function, Json, arguments_text, encodes
from contextapp.engine.request.names import function_name, is_word, with_own_ids
from contextapp.engine.request.neutral import Block, ModelRequest

ROLES = frozenset({"system", "user", "assistant", "tool"})
ID_CHARS = 40


def render(request: ModelRequest) -> Json:
    """The body of one Chat Completions call; `validate` finds nothing wrong in it."""
    blocks = with_own_ids(request.blocks, ID_CHARS)
    body: Json = {"model": request.model, "messages": [_message(group) for group in joined(blocks)]}
    tools = [_tool(function) for function in functions.functions(blocks)]
    if tools:
        body["tools"] = tools
    if request.max_output_tokens > 0:
        body["max_completion_tokens"] = request.max_output_tokens
    return body


def _message(group: Sequence[Block]) -> Json:
    first = group[0]
    text = "\n\n".join(block.text for block in group)
    if first.role == "tool":
        return {"role": "tool", "tool_call_id": first.call_id, "content": text}
    if first.role == "assistant" and first.calls:
        return {"role": "assistant", "content": text or None, "tool_calls": [_call(*call) for call in first.calls]}
    return {"role": first.role, "content": text}


def _call(call_id: str, name: str, arguments: str) -> Json:
    function = {"name": function_name(name), "arguments": arguments_text(arguments)}
    return {"id": call_id, "type": "function", "function": function}


def _tool(function: Function) -> Json:
    return {
        "type": "function",
        "function": {
            "name": function.name,
            "description": function.description,
            "parameters": function.parameters,
        },
    }


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
    listed = [tool["function"] for tool in body.get("tools", [])]
    problems += functions.problems([(tool["name"], tool["parameters"]) for tool in listed])
    if not encodes(body):
        problems.append("the body holds what JSON can't: a lone surrogate or no number")
    if body.get("max_completion_tokens", 1) < 1:
        problems.append(f"max_completion_tokens {body['max_completion_tokens']} is below 1")
    return tuple(problems)


def _calls_of(message: Mapping[str, Any], place: int, problems: list[str]) -> list[str]:
    found: list[str] = []
    for call in message.get("tool_calls", ()):
        if message["role"] != "assistant":
            problems.append(f"message {place}: {message['role']} makes a call")
        problems += [f"message {place}: {problem}" for problem in _call_problems(call, found)]
        found.append(call["id"])
    return found


def _call_problems(call: Mapping[str, Any], found: Sequence[str]) -> list[str]:
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    problems = []
    if not call["id"] or len(call["id"]) > ID_CHARS or call["id"] in found:
        problems.append(f"call id {call['id']!r} is empty, too long or used twice")
    if not is_word(name):
        problems.append(f"function name {name!r} is refused")
    if not functions.is_object_text(arguments):
        problems.append("arguments are no JSON object")
    return problems
