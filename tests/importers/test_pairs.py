"""Recorded requests with their answers: all messages, the bill of the call, and the end of the turn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextapp.importers.arrays.formats import parse_pairs
from contextapp.importers.contract import ParsedLine
from tests.importers.parsing import events_of, of_type, outcomes, read, to_lines, types_of

ASK = {"role": "user", "content": "hi"}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
CHAT = {
    "request": {"model": "gpt-x", "messages": [{"role": "system", "content": "s"}, ASK], "tools": [TOOL]},
    "response": {
        "created": 1_700_000_000,
        "model": "gpt-x-1",
        "choices": [{"message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 30, "prompt_tokens_details": {"cached_tokens": 10}, "completion_tokens": 4},
    },
}
ANTHROPIC = {
    "request": {"model": "claude-x", "max_tokens": 9, "system": "s", "messages": [ASK]},
    "response": {
        "id": "msg_1", "type": "message", "model": "claude-x", "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}],
        "usage": {"input_tokens": 7, "cache_read_input_tokens": 5, "output_tokens": 3},
    },
}  # fmt: skip
RESPONSES = {
    "request": {"model": "gpt-x", "input": "hi", "instructions": "s", "previous_response_id": "resp_0"},
    "response": {
        "id": "resp_1", "object": "response", "status": "completed", "model": "gpt-x-1",
        "output": [
            {"type": "reasoning", "id": "rs", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hello"}]},
        ],
        "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 2},
    },
}  # fmt: skip


def parsed(*pairs: Any) -> list[ParsedLine]:
    return read(to_lines(*pairs), "/runs/pairs.jsonl", parse_pairs)


@pytest.mark.parametrize(
    ("pair", "billed"),
    [(CHAT, (20, 10, 4)), (ANTHROPIC, (7, 5, 3)), (RESPONSES, (5, 4, 2))],
    ids=["chat", "anthropic", "responses"],
)
def test_a_pair_is_a_session_with_its_request_and_its_bill(pair: dict[str, Any], billed: tuple[int, int, int]) -> None:
    lines = parsed(pair)

    assert outcomes(lines) == [("produced", "")]
    assert types_of(lines)[0] == "session.created"
    assert of_type(lines, "instructions.loaded")[0]["text"] == "s"
    assert of_type(lines, "user.message")[0]["text"] == "hi"
    usage = of_type(lines, "usage.reported")[0]
    assert tuple(usage[name] for name in ("input_uncached", "cache_read", "output")) == billed
    answered = [event for event in events_of(lines) if event.type in ("model.message", "tool.requested")]
    assert answered[-1].payload["message_id"] == usage["message_id"]
    assert answered[-1].payload["model"] == usage["model"]


def test_an_answer_that_waits_for_a_result_does_not_end_the_turn() -> None:
    assert [types_of(parsed(pair)).count("turn.completed") for pair in (CHAT, ANTHROPIC, RESPONSES)] == [1, 0, 1]


def test_the_time_of_an_answer_is_the_one_it_claims() -> None:
    event = next(event for event in events_of(parsed(CHAT)) if event.type == "model.message")

    assert event.occurred_at is not None and event.occurred_at.year == 2023


def test_a_history_that_the_provider_keeps_is_named() -> None:
    assert of_type(parsed(RESPONSES), "session.created")[0]["continues"] == "resp_0"


def test_an_answer_that_was_not_recorded_is_empty_and_billed() -> None:
    lines = parsed({**CHAT, "response": None, "usage": {"prompt_tokens": 3, "completion_tokens": 1}})

    assert of_type(lines, "model.message")[0]["text"] == ""
    assert of_type(lines, "usage.reported")[0]["output"] == 1


def test_an_error_is_no_answer_of_the_model() -> None:
    lines = parsed({**CHAT, "response": {"error": {"message": "overloaded", "code": 529}}})

    spoken = next(event for event in events_of(lines) if event.type == "model.message")
    assert (spoken.payload["synthetic"], spoken.payload["error_status"], spoken.visibility) == (True, 529, "ui")


def test_choices_that_were_not_taken_are_kept_apart() -> None:
    other = {"message": {"content": "hey"}, "finish_reason": "stop"}
    response = {**CHAT["response"], "choices": [*CHAT["response"]["choices"], other]}

    lines = parsed({**CHAT, "response": response})

    assert len(of_type(lines, "model.message")) == 1
    assert of_type(lines, "import.unknown")[0]["record"] == other


def test_a_log_with_the_response_beside_the_messages_is_a_pair() -> None:
    think = {"kind": "ThinkTool", "title": "think", "description": "d", "annotations": {"readOnlyHint": True}}
    log = {"messages": [ASK], "tools": [TOOL, think], "response": CHAT["response"], "context_window": 128_000}

    lines = read(json.dumps(log).encode(), "/logs/one.json", parse_pairs)

    assert [line.line for line in lines] == [1, 2, 3]
    offered = of_type(lines, "tools.available")[0]["tools"]
    assert [(one["name"], one.get("read_only")) for one in offered] == [("f", None), ("think", True)]
    assert of_type(lines, "usage.reported")[0]["input_uncached"] == 20


@pytest.mark.parametrize("bad", [{"request": {"messages": [{"role": "x"}]}, "response": {}}, {"response": 1}, [1]])
def test_a_pair_that_can_not_be_read_is_quarantined_and_the_others_go_on(bad: Any) -> None:
    lines = parsed(CHAT, bad, ANTHROPIC)

    assert [line.disposition.value for line in lines] == ["produced", "quarantined", "produced"]


GEMINI = {
    "model": "gemini-x",
    "request": {
        "systemInstruction": {"parts": [{"text": "s"}]},
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}, {"googleSearch": {}}],
        "contents": [
            {"role": "user", "parts": [{"text": "hi"}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "x"}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"b": 2}}}]},
        ],
    },
    "response": {
        "candidates": [{"content": {"parts": [{"text": "hm", "thought": True}, {"text": "hello"}]}, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": 20, "cachedContentTokenCount": 5, "candidatesTokenCount": 3, "thoughtsTokenCount": 4,
        },
    },
}  # fmt: skip


def test_contents_of_gemini_pair_calls_with_results_by_name() -> None:
    lines = parsed(GEMINI)

    assert types_of(lines) == [
        "session.created", "instructions.loaded", "tools.available", "turn.started", "user.message", "tool.requested",
        "tool.completed", "model.thinking", "model.message", "usage.reported", "turn.completed",
    ]  # fmt: skip
    assert [one["name"] for one in of_type(lines, "tools.available")[0]["tools"]] == ["f", "googleSearch"]
    result = of_type(lines, "tool.completed")[0]
    assert (result["call_id"], result["content"]) == (of_type(lines, "tool.requested")[0]["call_id"], '{"b": 2}')
    usage = of_type(lines, "usage.reported")[0]
    assert (usage["model"], usage["input_uncached"], usage["cache_read"], usage["output"]) == ("gemini-x", 15, 5, 7)
