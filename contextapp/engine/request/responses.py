"""The neutral request as an OpenAI Responses body, and that provider's own rules as a check. Decides nothing: what the
provider would keep is told not to be kept, since every request is whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contextapp.engine.request import functions
from contextapp.engine.request.frame import joined
from contextapp.engine.request.functions import Function, Json, arguments_text, encodes, is_object_text
from contextapp.engine.request.names import NAME_CHARS, function_name, is_word, with_own_ids
from contextapp.engine.request.neutral import Block, ModelRequest
from contextapp.engine.request.wording import worded

ROLES = frozenset({"system", "user", "assistant"})
LEAST_OUTPUT_TOKENS = 16  # the provider refuses a smaller limit


def render(request: ModelRequest) -> Json:
    """The body of one Responses call; `validate` finds nothing wrong in it. The system blocks in front are `instructions`."""
    blocks = with_own_ids(request.blocks, NAME_CHARS)
    groups = joined(blocks)
    front = groups.pop(0) if groups and groups[0][0].role == "system" else []
    instructions = "\n\n".join(block.text for block in front)
    body: Json = {"model": request.model}
    if instructions.strip():
        body["instructions"] = instructions
    body["input"] = [item for group in groups for item in _items(group)] or [_message("user", "")]
    tools = [_tool(function) for function in functions.functions(blocks)]
    if tools:
        body["tools"] = tools
    if request.max_output_tokens > 0:
        body["max_output_tokens"] = max(request.max_output_tokens, LEAST_OUTPUT_TOKENS)
    return {**body, "store": False}


def _items(group: Sequence[Block]) -> list[Json]:
    first = group[0]
    text = "\n\n".join(block.text for block in group)
    if first.role == "tool":
        return [{"type": "function_call_output", "call_id": first.call_id, "output": worded(text)}]
    if first.role == "assistant" and first.calls:
        said = [_message("assistant", text)] if text.strip() else []
        return [*said, *(_call(*call) for call in first.calls)]
    return [_message(first.role, text)]


def _message(role: str, text: str) -> Json:
    return {"type": "message", "role": role, "content": worded(text)}


def _call(call_id: str, name: str, arguments: str) -> Json:
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": function_name(name),
        "arguments": arguments_text(arguments),
    }


def _tool(function: Function) -> Json:
    return {
        "type": "function",
        "name": function.name,
        "description": function.description,
        "parameters": function.parameters,
        "strict": False,  # the default here is true, which refuses most schemas
    }


def validate(body: Mapping[str, Any]) -> tuple[str, ...]:
    """What the provider would refuse, in words; empty when nothing. Results stand right behind their calls: the provider pairs
    them from anywhere, others that speak its dialect don't."""
    check = _Check()
    if not body["input"]:
        check.problems.append("the input is empty")
    for place, item in enumerate(body["input"]):
        check.item(place, item)
    check.settle("at the end")
    if "instructions" in body and not body["instructions"].strip():
        check.problems.append("the instructions are blank")
    tools = [(tool["name"], tool["parameters"]) for tool in body.get("tools", [])]
    check.problems += functions.problems(tools)
    if not encodes(body):
        check.problems.append("the body holds what JSON can't: a lone surrogate or no number")
    limit = body.get("max_output_tokens", LEAST_OUTPUT_TOKENS)
    if limit < LEAST_OUTPUT_TOKENS:
        check.problems.append(f"max_output_tokens {limit} is below {LEAST_OUTPUT_TOKENS}")
    return tuple(check.problems)


class _Check:
    """Goes through the input, knowing which calls are still to be answered."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._used: set[str] = set()
        self._awaited: list[str] = []
        self._answering = False

    def item(self, place: int, item: Mapping[str, Any]) -> None:
        kind, where = item.get("type"), f"item {place}"
        if kind == "function_call":
            if self._answering:
                self.settle(f"before {where}")
            self._call(where, item)
        elif kind == "function_call_output":
            self._result(where, item)
        elif kind == "message":
            self.settle(f"before {where}")
            if item.get("role") not in ROLES:
                self.problems.append(f"{where}: role {item.get('role')!r} is unknown")
            if not item.get("content", "").strip():
                self.problems.append(f"{where}: {item.get('role')} has no content")
        else:
            self.problems.append(f"{where}: type {kind!r} is unknown")

    def settle(self, when: str) -> None:
        if self._awaited:
            self.problems.append(f"calls {self._awaited} have no result {when}")
        self._awaited, self._answering = [], False

    def _call(self, where: str, item: Mapping[str, Any]) -> None:
        call_id = item["call_id"]
        if call_id in self._used or not is_word(call_id):
            self.problems.append(f"{where}: call id {call_id!r} is refused or used twice")
        if not is_word(item["name"]):
            self.problems.append(f"{where}: function name {item['name']!r} is refused")
        if not is_object_text(item["arguments"]):
            self.problems.append(f"{where}: arguments are no JSON object")
        self._used.add(call_id)
        self._awaited.append(call_id)

    def _result(self, where: str, item: Mapping[str, Any]) -> None:
        self._answering = True
        if item["call_id"] in self._awaited:
            self._awaited.remove(item["call_id"])
        else:
            self.problems.append(f"{where}: result {item['call_id']!r} answers no call before it")
        if not item["output"].strip():
            self.problems.append(f"{where}: the result has no content")
