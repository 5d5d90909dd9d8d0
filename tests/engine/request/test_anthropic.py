from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contextapp.engine.request import anthropic
from contextapp.engine.request.neutral import Block, ModelRequest
from tests.engine.request.test_openai import BLOCKS, CALL, PARAMETERS, block


def body_of(*blocks: Block, answer: int = 500) -> dict[str, Any]:
    return anthropic.render(ModelRequest("claude", answer, blocks))


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def test_blocks_become_parts_of_alternating_messages() -> None:
    assert body_of(*BLOCKS) == {
        "model": "claude",
        "max_tokens": 500,
        "system": [text("safety"), text("rules")],
        "messages": [
            {"role": "user", "content": [text("fix it")]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a.py"}}],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "def a(): ..."},
                    text("goal"),
                    text("state"),
                ],
            },
        ],
        "tools": [{"name": "read_file", "description": "Reads.", "input_schema": PARAMETERS}],
    }
    assert anthropic.validate(body_of(*BLOCKS)) == ()


def test_neighbours_of_one_role_are_one_message_and_results_stand_first_in_the_next() -> None:
    second = ("c2", "mcp:fs.read", "not json")
    blocks = [
        block("user", "one"),
        block("user", "two"),
        block("assistant", "I look."),
        block("assistant", "Now.", calls=(CALL, second)),
        block("tool", "x", call_id="c2"),
        block("tool", "y", call_id="c1"),
        block("user", "three"),
    ]

    messages = body_of(*blocks)["messages"]

    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[1]["content"][:2] == [text("I look."), text("Now.")]
    assert messages[1]["content"][3] == {
        "type": "tool_use",
        "id": "c2",
        "name": "mcp_fs_read_02ca4e3a",
        "input": {"arguments": "not json"},
    }
    assert [part["type"] for part in messages[2]["content"]] == ["tool_result", "tool_result", "text"]


def test_the_first_and_the_last_message_are_the_users_and_blank_text_is_put_into_words() -> None:
    answer = body_of(block("assistant", "Hello."), answer=0)
    blank = body_of(block("system", " "), block("user", " \n"))

    assert answer["messages"] == [
        {"role": "user", "content": [text("(no words)")]},
        {"role": "assistant", "content": [text("Hello.")]},
        {"role": "user", "content": [text("(no words)")]},
    ]
    assert answer["max_tokens"] == anthropic.ANSWER_TOKENS
    assert "system" not in blank
    assert blank["messages"] == [{"role": "user", "content": [text(" \n(no words)")]}]
    assert body_of()["messages"] == [{"role": "user", "content": [text("(no words)")]}]


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (lambda body: body["messages"].pop(0), "not the user's"),
        (lambda body: body.update(messages=body["messages"][:2]), "at the end have no result"),
        (lambda body: body.update(messages=[]), "not the user's"),
        (lambda body: body["messages"].pop(1), "answers no call"),
        (lambda body: body["messages"].insert(1, body["messages"][0]), "a second message of the user"),
        (lambda body: body["messages"][2]["content"].pop(0), "have no result"),
        (lambda body: body["messages"][2]["content"].reverse(), "behind other content"),
        (lambda body: body["messages"][2]["content"].insert(1, body["messages"][2]["content"][0]), "answers no call"),
        (lambda body: body["messages"].extend(body["messages"][1:]), "used twice"),
        (lambda body: body["messages"][1]["content"].append(text("so")), "behind a call"),
        (lambda body: body["messages"][0]["content"].append(body["messages"][1]["content"][0]), "user makes a call"),
        (lambda body: body["messages"][1]["content"].append(body["messages"][2]["content"][0]), "gives a result"),
        (lambda body: body["messages"][1]["content"][0].update(name="a b"), "name 'a b' is refused"),
        (lambda body: body["messages"][1]["content"][0].update(id="a|b"), "id 'a|b' is refused"),
        (lambda body: body["messages"][1]["content"][0].update(input="{}"), "no JSON object"),
        (lambda body: body["messages"][0].update(content=[]), "no content"),
        (lambda body: body["messages"][0]["content"][0].update(text=" "), "no content"),
        (lambda body: body["messages"][0]["content"][0].update(text="\ud800"), "lone surrogate"),
        (lambda body: body["messages"][0].update(role="robot"), "is unknown"),
        (lambda body: body["system"].append(text("")), "system part 2: no content"),
        (lambda body: body["tools"].append(body["tools"][0]), "listed twice"),
        (lambda body: body["tools"][0].update(input_schema={}), "not that of an object"),
        (lambda body: body.pop("max_tokens"), "is below 1"),
    ],
)
def test_a_broken_body_is_found_out(broken: Callable[[dict[str, Any]], None], problem: str) -> None:
    body = body_of(*BLOCKS)

    broken(body)

    assert any(problem in found for found in anthropic.validate(body))
