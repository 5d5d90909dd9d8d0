from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contextapp.engine.request import openai
from contextapp.engine.request.frame import (
    ANSWER_TOKENS,
    CALL_TOKENS,
    JOIN_TOKENS,
    MESSAGE_TOKENS,
    TOOLS_TOKENS,
    frame_tokens,
)
from contextapp.engine.request.neutral import Block, ModelRequest


def block(role: str, text: str, part: str = "transcript", **fields: Any) -> Block:
    return Block(role=role, part=part, trust="fact", text=text, source_id=text[:8], **fields)


CALL = ("c1", "read_file", '{"path":"a.py"}')
PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}}
TOOL = {"name": "read_file", "description": "Reads.", "schema": PARAMETERS}
BLOCKS = (
    block("system", "safety", "safety"),
    block("system", "", "tools", tools=(TOOL,)),
    block("system", "rules", "instructions"),
    block("user", "fix it"),
    block("assistant", "", calls=(CALL,)),
    block("tool", "def a(): ...", call_id="c1"),
    block("user", "goal", "trailing"),
    block("user", "state", "trailing"),
)


def body_of(*blocks: Block, answer: int = 500) -> dict[str, Any]:
    return openai.render(ModelRequest("gpt", answer, blocks))


def test_blocks_become_messages_in_their_order() -> None:
    assert body_of(*BLOCKS) == {
        "model": "gpt",
        "messages": [
            {"role": "system", "content": "safety\n\nrules"},
            {"role": "user", "content": "fix it"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"a.py"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "def a(): ..."},
            {"role": "user", "content": "goal\n\nstate"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "read_file", "description": "Reads.", "parameters": PARAMETERS},
            }
        ],
        "max_completion_tokens": 500,
    }


def test_a_valid_body_has_no_problems() -> None:
    assert openai.validate(body_of(*BLOCKS)) == ()


@pytest.mark.parametrize(
    ("blocks", "problem"),
    [
        ([block("tool", "x", call_id="c9")], "answers no call"),
        ([block("assistant", "", calls=(CALL,)), block("user", "x")], "have no result"),
        ([block("assistant", "", calls=(CALL,))], "at the end have no result"),
        ([block("assistant", "", calls=(CALL,)), *[block("tool", "x", call_id="c1")] * 2], "answers no call"),
        ([block("user", "")], "has no content"),
        ([block("assistant", "")], "has no content"),
        ([block("robot", "x")], "is unknown"),
    ],
)
def test_what_the_provider_would_refuse_is_named(blocks: list[Block], problem: str) -> None:
    problems = openai.validate(body_of(*blocks))

    assert any(problem in found for found in problems)


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (lambda body: body["messages"][2]["tool_calls"].append(body["messages"][2]["tool_calls"][0]), "used twice"),
        (lambda body: body["messages"][2]["tool_calls"][0]["function"].update(name="a b"), "name 'a b' is refused"),
        (lambda body: body["messages"][2]["tool_calls"][0]["function"].update(arguments="[1]"), "no JSON object"),
        (lambda body: body["messages"][1].update(content="\ud800"), "lone surrogate"),
        (lambda body: body["tools"].append(body["tools"][0]), "listed twice"),
        (lambda body: body.update(max_completion_tokens=0), "is below 1"),
    ],
)
def test_a_broken_body_is_found_out(broken: Callable[[dict[str, Any]], None], problem: str) -> None:
    body = body_of(*BLOCKS)

    broken(body)

    assert any(problem in found for found in openai.validate(body))


def test_without_an_answer_limit_the_field_is_left_out() -> None:
    assert "max_completion_tokens" not in body_of(*BLOCKS, answer=0)


def test_the_frame_is_counted_per_message_join_call_and_tool_list() -> None:
    messages, joins = 5, 2

    expected = ANSWER_TOKENS + messages * MESSAGE_TOKENS + joins * JOIN_TOKENS + CALL_TOKENS + TOOLS_TOKENS

    assert frame_tokens(BLOCKS) == expected
