from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contextapp.engine.request import responses
from contextapp.engine.request.neutral import Block, ModelRequest
from tests.engine.request.test_openai import BLOCKS, CALL, PARAMETERS, block


def body_of(*blocks: Block, answer: int = 500) -> dict[str, Any]:
    return responses.render(ModelRequest("gpt", answer, blocks))


def test_blocks_become_items_in_their_order() -> None:
    assert body_of(*BLOCKS) == {
        "model": "gpt",
        "instructions": "safety\n\nrules",
        "input": [
            {"type": "message", "role": "user", "content": "fix it"},
            {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": '{"path":"a.py"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "def a(): ..."},
            {"type": "message", "role": "user", "content": "goal\n\nstate"},
        ],
        "tools": [
            {
                "type": "function",
                "name": "read_file",
                "description": "Reads.",
                "parameters": PARAMETERS,
                "strict": False,
            }
        ],
        "max_output_tokens": 500,
        "store": False,
    }
    assert responses.validate(body_of(*BLOCKS)) == ()


def test_what_an_answer_says_stands_before_its_calls() -> None:
    second = ("c2", "mcp:fs.read", "not json")
    blocks = [
        block("assistant", "I look.", calls=(CALL, second)),
        *(block("tool", "x", call_id=c) for c in ("c2", "c1")),
    ]

    items = body_of(*blocks)["input"]

    assert [item["type"] for item in items] == ["message", *["function_call"] * 2, *["function_call_output"] * 2]
    assert items[0] == {"type": "message", "role": "assistant", "content": "I look."}
    assert items[2]["name"] == "mcp_fs_read_02ca4e3a"
    assert items[2]["arguments"] == '{"arguments": "not json"}'
    assert [item["call_id"] for item in items[1:]] == ["c1", "c2", "c2", "c1"]


def test_a_later_system_block_keeps_its_place() -> None:
    body = body_of(block("system", "first"), block("user", "go"), block("system", "later"))

    assert body["instructions"] == "first"
    assert body["input"][1] == {"type": "message", "role": "system", "content": "later"}


def test_silence_is_put_into_words_and_a_small_limit_is_raised() -> None:
    silent = body_of(block("system", "rules"), answer=3)

    assert silent["input"] == [{"type": "message", "role": "user", "content": "(no words)"}]
    assert silent["max_output_tokens"] == 16
    assert "max_output_tokens" not in body_of(*BLOCKS, answer=0)
    assert responses.validate(silent) == ()


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (lambda body: body["input"].pop(1), "answers no call"),
        (lambda body: body["input"].pop(2), "have no result before item 2"),
        (lambda body: body.update(input=body["input"][:2]), "have no result at the end"),
        (lambda body: body["input"].insert(2, body["input"][0]), "have no result before item 2"),
        (lambda body: body["input"].extend(body["input"][1:3]), "used twice"),
        (lambda body: body["input"].append(body["input"][2]), "answers no call"),
        (lambda body: body["input"][1].update(name="a.b"), "name 'a.b' is refused"),
        (lambda body: body["input"][1].update(arguments="null"), "no JSON object"),
        (lambda body: body["input"][2].update(output=" "), "no content"),
        (lambda body: body["input"][0].update(content=""), "no content"),
        (lambda body: body["input"][0].update(role="tool"), "is unknown"),
        (lambda body: body["input"][0].update(type="odd"), "is unknown"),
        (lambda body: body.update(input=[]), "input is empty"),
        (lambda body: body.update(instructions=" "), "instructions are blank"),
        (lambda body: body["tools"].append(body["tools"][0]), "listed twice"),
        (lambda body: body["tools"][0].update(parameters={"type": "object", "oneOf": []}), "oneOf at the top"),
        (lambda body: body["input"][0].update(content="\ud800"), "lone surrogate"),
        (lambda body: body.update(max_output_tokens=15), "is below 16"),
    ],
)
def test_a_broken_body_is_found_out(broken: Callable[[dict[str, Any]], None], problem: str) -> None:
    body = body_of(*BLOCKS)

    broken(body)

    assert any(problem in found for found in responses.validate(body))
