"""The neutral request as an Anthropic Messages body, and that provider's own rules as a check. Decides nothing: blocks stand
in their order, each as a part of its own. The words `UNSAID` stand where the provider demands a user message and there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contextapp.engine.request import functions
from contextapp.engine.request.functions import Function, Json, arguments_object, encodes
from contextapp.engine.request.names import NAME_CHARS, function_name, is_word, with_own_ids
from contextapp.engine.request.neutral import Block, ModelRequest
from contextapp.engine.request.wording import worded

ROLES = frozenset({"user", "assistant"})
ANSWER_TOKENS = 4_096  # where the policy keeps none: the provider takes no request without a limit


def render(request: ModelRequest) -> Json:
    """The body of one Messages call; `validate` finds nothing wrong in it. System blocks are `system`, wherever they stood."""
    blocks = with_own_ids(request.blocks, NAME_CHARS)
    spoken = [block for block in blocks if not block.tools]
    body: Json = {
        "model": request.model,
        "max_tokens": request.max_output_tokens if request.max_output_tokens > 0 else ANSWER_TOKENS,
    }
    system = [_text(block.text) for block in spoken if block.role == "system" and block.text.strip()]
    if system:
        body["system"] = system
    body["messages"] = _messages([block for block in spoken if block.role != "system"])
    tools = [_tool(function) for function in functions.functions(blocks)]
    if tools:
        body["tools"] = tools
    return body


def _messages(blocks: Sequence[Block]) -> list[Json]:
    """Neighbours of one role as one message; the first and the last are the user's."""
    messages: list[Json] = []
    if not blocks or blocks[0].role == "assistant":
        messages.append(_unsaid())
    for block in blocks:
        role = "user" if block.role == "tool" else block.role
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += _parts(block)
        else:
            messages.append({"role": role, "content": _parts(block)})
    if messages[-1]["role"] == "assistant":  # newer models don't go on with an answer that was begun
        messages.append(_unsaid())
    return messages


def _unsaid() -> Json:
    return {"role": "user", "content": [_text("")]}


def _parts(block: Block) -> list[Json]:
    if block.role == "tool":
        return [{"type": "tool_result", "tool_use_id": block.call_id, "content": worded(block.text)}]
    calls = [_call(*call) for call in block.calls]
    return [*([_text(block.text)] if block.text.strip() or not calls else []), *calls]


def _text(text: str) -> Json:
    return {"type": "text", "text": worded(text)}


def _call(call_id: str, name: str, arguments: str) -> Json:
    return {"type": "tool_use", "id": call_id, "name": function_name(name), "input": arguments_object(arguments)}


def _tool(function: Function) -> Json:
    return {"name": function.name, "description": function.description, "input_schema": function.parameters}


def validate(body: Mapping[str, Any]) -> tuple[str, ...]:
    """What the provider would refuse, in words; empty when nothing."""
    problems = [f"system part {place}: no content" for place, part in enumerate(body.get("system", ())) if _blank(part)]
    messages = body["messages"]
    if not messages or messages[0]["role"] != "user" or messages[-1]["role"] != "user":
        problems.append("the first and the last message are not the user's")
    used: set[str] = set()
    awaited: list[str] = []  # ids of the calls of the message before
    for place, message in enumerate(messages):
        role, parts = message["role"], message["content"]
        if role not in ROLES:
            problems.append(f"message {place}: role {role!r} is unknown")
        if place and messages[place - 1]["role"] == role:
            problems.append(f"message {place}: a second message of the {role}")
        if not parts or any(_blank(part) for part in parts):
            problems.append(f"message {place}: {role} has no content")
        problems += [f"message {place}: {problem}" for problem in _result_problems(role, parts, awaited)]
        problems += [f"message {place}: {problem}" for problem in _call_problems(role, parts, used)]
        awaited = [part["id"] for part in parts if part["type"] == "tool_use"]
    problems += [f"calls {awaited} at the end have no result"] if awaited else []
    problems += functions.problems([(tool["name"], tool["input_schema"]) for tool in body.get("tools", [])])
    if not encodes(body):
        problems.append("the body holds what JSON can't: a lone surrogate or no number")
    if body.get("max_tokens", 0) < 1:
        problems.append(f"max_tokens {body.get('max_tokens')} is below 1")
    return tuple(problems)


def _blank(part: Mapping[str, Any]) -> bool:
    said = {"text": "text", "tool_result": "content"}.get(part["type"])
    return said is not None and not part[said].strip()


def _result_problems(role: str, parts: Sequence[Mapping[str, Any]], awaited: Sequence[str]) -> list[str]:
    """Every call of the message before is answered once, in front of everything else."""
    problems = []
    open_calls = list(awaited)
    for place, part in enumerate(parts):
        if part["type"] != "tool_result":
            continue
        if role != "user":
            problems.append(f"{role} gives a result")
        if any(other["type"] != "tool_result" for other in parts[:place]):
            problems.append(f"result {part['tool_use_id']!r} stands behind other content")
        if part["tool_use_id"] in open_calls:
            open_calls.remove(part["tool_use_id"])
        else:
            problems.append(f"result {part['tool_use_id']!r} answers no call of the message before")
    return problems + ([f"calls {open_calls} have no result"] if open_calls else [])


def _call_problems(role: str, parts: Sequence[Mapping[str, Any]], used: set[str]) -> list[str]:
    problems = []
    calls = [part for part in parts if part["type"] == "tool_use"]
    if calls and list(parts[-len(calls) :]) != calls:
        problems.append("text stands behind a call")
    for call in calls:
        if role != "assistant":
            problems.append(f"{role} makes a call")
        if call["id"] in used or not is_word(call["id"]):
            problems.append(f"call id {call['id']!r} is refused or used twice")
        if not is_word(call["name"]):
            problems.append(f"function name {call['name']!r} is refused")
        if not isinstance(call["input"], dict):
            problems.append(f"input of {call['id']!r} is no JSON object")
        used.add(call["id"])
    return problems
