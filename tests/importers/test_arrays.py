"""Arrays of OpenAI Responses and Anthropic Messages: items, answers, tools, positions, and what is recognised as either."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextapp.importers.contract import ParsedLine
from contextapp.importers.recognise import HEAD_BYTES, recognise
from tests.importers.parsing import events_of, of_type, outcomes, read, to_lines, types_of

ASK = {"role": "user", "content": "What is the weather in Oslo?"}
CALL = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}}],
}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "rain"}]}
DONE = {"role": "assistant", "content": [{"type": "text", "text": "It rains."}]}
SAYS = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What is the weather?"}]}
THINKS = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Ask the tool"}]}
CALLS = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "weather", "arguments": '{"city": "Oslo"}'}
GIVES = {"type": "function_call_output", "call_id": "c1", "output": "rain"}
ANSWERS = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rain."}]}


def parsed(value: Any, name: str = "/runs/array.json") -> list[ParsedLine]:
    body = value if isinstance(value, bytes) else json.dumps(value, indent=1).encode()
    found = recognise(body[:HEAD_BYTES], name)
    assert found is not None
    return read(body, name, found.parse)


def name_of(body: bytes) -> str | None:
    found = recognise(body[:HEAD_BYTES], "x")
    return found.name if found else None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (json.dumps([ASK, CALL, RESULT]).encode(), "anthropic_messages"),
        (json.dumps([ASK, CALL, RESULT], indent=2).encode(), "anthropic_messages"),
        (to_lines(ASK, CALL), "anthropic_messages"),
        (json.dumps({"system": "Be brief.", "messages": [ASK]}).encode(), "anthropic_messages"),
        (json.dumps({"messages": [ASK], "tools": [{"name": "a", "input_schema": {}}]}).encode(), "anthropic_messages"),
        (json.dumps([[ASK, CALL], [ASK, CALL]]).encode(), "anthropic_messages"),
        (json.dumps([ASK, CALL, {"role": "user", "content": "x" * 400_000}]).encode(), "anthropic_messages"),
        (json.dumps([SAYS, CALLS, GIVES]).encode(), "openai_responses"),
        (to_lines(SAYS, THINKS, CALLS), "openai_responses"),
        (json.dumps({"model": "m", "input": [ASK], "instructions": "Be brief."}).encode(), "openai_responses"),
        (json.dumps({"model": "m", "input": "hi", "tools": []}).encode(), "openai_responses"),
        (to_lines({"object": "response", "id": "r", "output": [ANSWERS]}), "openai_responses"),
        (json.dumps({"request": {"messages": [ASK]}, "response": {"choices": []}}).encode(), "provider_pairs"),
        (json.dumps([ASK, {"role": "assistant", "content": "hi"}]).encode(), "openai_chat"),
        (json.dumps({"model": "text-embedding-3-small", "input": ["a", "b"]}).encode(), None),
        (json.dumps({"model": "text-embedding-3-small", "input": "a"}).encode(), None),
        (to_lines({"type": "user", "content": []}, {**CALLS}, {"type": "tool_result", "content": "x"}), None),
    ],
)
def test_arrays_are_known_by_what_only_one_provider_writes(body: bytes, expected: str | None) -> None:
    assert name_of(body) == expected


def test_each_anthropic_message_is_a_line_and_a_prompt_is_a_turn() -> None:
    lines = parsed([ASK, CALL, RESULT, DONE])

    assert outcomes(lines) == [("produced", "")] * 4
    assert types_of(lines) == [
        "session.created", "turn.started", "user.message", "tool.requested", "tool.completed", "model.message",
    ]  # fmt: skip


def test_several_results_and_words_of_one_user_message_are_events_of_their_own() -> None:
    blocks = [
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "one"}]},
        {"type": "tool_result", "tool_use_id": "b", "content": "two", "is_error": True},
        {"type": "text", "text": "go on"},
    ]

    lines = parsed([ASK, CALL, {"role": "user", "content": blocks}])

    results = of_type(lines, "tool.completed")
    assert [(one["call_id"], one["content"], one["is_error"]) for one in results] == [
        ("a", "one", False),
        ("b", "two", True),
    ]
    assert of_type(lines, "user.message")[1]["text"] == "go on"


def test_thinking_is_kept_and_redacted_thinking_is_said_to_be() -> None:
    blocks = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "redacted_thinking", "data": "x"}]

    thoughts = of_type(parsed([ASK, {"role": "assistant", "content": blocks}, CALL]), "model.thinking")

    assert [(one["text"], one["redacted"]) for one in thoughts] == [("hm", False), ("", True)]


def test_system_blocks_and_tools_beside_the_messages_are_a_line_of_their_own() -> None:
    system = [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]
    tools = [
        {"name": "weather", "description": "d", "input_schema": {"type": "object"}},
        {"type": "web_search_1", "max_uses": 3},
    ]

    lines = parsed({"model": "claude-x", "system": system, "tools": tools, "messages": [ASK, DONE]})

    assert len(lines) == 3
    loaded = of_type(lines, "instructions.loaded")
    assert [one["text"] for one in loaded] == ["One.", "Two."]
    assert len({one["name"] for one in loaded}) == 2
    offered = of_type(lines, "tools.available")[0]["tools"]
    assert [(one["name"], one["schema"]) for one in offered] == [
        ("weather", {"type": "object"}), ("web_search_1", {"max_uses": 3}),
    ]  # fmt: skip
    assert lines[-1].heads[-1].model == "claude-x" if lines[-1].heads else lines[0].heads[0].model == "claude-x"


def test_a_compaction_block_takes_the_place_of_what_stands_before_it() -> None:
    block = {"type": "compaction", "content": "They greeted."}

    lines = parsed([ASK, CALL, RESULT, {"role": "assistant", "content": [block]}])

    assert of_type(lines, "session.compacted")[0] == {"part": "whole", "summary": "They greeted.", "by": "anthropic"}


def test_usage_of_a_message_leaves_the_cache_out_of_its_input() -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20, "output_tokens": 9}

    reported = of_type(parsed([ASK, {**CALL, "usage": usage, "model": "claude-x"}]), "usage.reported")[0]

    figures = [reported[name] for name in ("input_uncached", "cache_read", "cache_write", "output", "quality")]
    assert figures == [5, 70, 20, 9, "exact"]


def test_usage_beside_a_whole_array_is_of_no_single_call() -> None:
    lines = parsed({"messages": [ASK, CALL], "usage": {"input_tokens": 5, "output_tokens": 9}})

    reported = of_type(lines, "usage.reported")[0]
    assert (reported["quality"], reported["message_id"]) == ("cumulative", "")


def test_items_of_one_answer_share_its_id_and_a_result_ends_it() -> None:
    lines = parsed([SAYS, THINKS, CALLS, GIVES, ANSWERS])

    ids = [event.payload["message_id"] for event in events_of(lines) if event.type.startswith("model.")]
    assert of_type(lines, "tool.requested")[0]["message_id"] == ids[0] == "m1"
    assert ids[1] == "m4"
    assert of_type(lines, "tool.requested")[0]["input"] == {"city": "Oslo"}


def test_custom_tools_keep_their_input_as_text() -> None:
    call = {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "*** Begin"}

    lines = parsed([SAYS, call, {"type": "custom_tool_call_output", "call_id": "c", "output": "ok"}])

    assert of_type(lines, "tool.requested")[0]["input"] == {"input": "*** Begin"}
    assert of_type(lines, "tool.completed")[0]["content"] == "ok"


def test_a_tool_of_the_provider_is_called_and_answered_and_what_it_gave_is_said_to_be_missing() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "Oslo"}}

    lines = parsed([SAYS, search, ANSWERS])

    assert of_type(lines, "tool.requested")[0]["input"] == {"action": {"query": "Oslo"}}
    result = of_type(lines, "tool.completed")[0]
    assert (result["call_id"], result["content"], result["cut"]) == (
        "ws_1",
        "",
        {"shown_chars": 0, "total_chars": None},
    )


def test_a_call_without_an_output_stays_open() -> None:
    assert of_type(parsed([SAYS, CALLS]), "tool.completed") == []


def test_approvals_of_a_server_are_permissions() -> None:
    asked = {"type": "mcp_approval_request", "id": "ap_1", "name": "delete", "arguments": "{}", "server_label": "s"}
    decided = {"type": "mcp_approval_response", "approval_request_id": "ap_1", "approve": False, "reason": "no"}

    lines = parsed([SAYS, THINKS, asked, decided])

    assert of_type(lines, "permission.requested")[0]["tool"] == "delete"
    assert of_type(lines, "permission.resolved")[0]["decision"] == "denied"


def test_tools_that_were_found_are_added_and_answer_the_search() -> None:
    search = {"type": "tool_search_call", "id": "ts_1", "call_id": None, "execution": "server", "arguments": {"q": "x"}}
    found = {
        "type": "tool_search_output",
        "call_id": None,
        "execution": "server",
        "tools": [{"type": "function", "name": "a"}],
    }

    lines = parsed([SAYS, search, found, CALLS])

    assert of_type(lines, "tool.completed")[0]["call_id"] == "ts_1"
    assert of_type(lines, "tools.available")[0]["mode"] == "add"


def test_items_that_no_rule_knows_are_kept_verbatim() -> None:
    strange = {"type": "hologram", "id": "h", "n": 1}

    lines = parsed([SAYS, CALLS, strange])

    assert of_type(lines, "import.unknown")[0]["record"] == strange


@pytest.mark.parametrize(
    ("messages", "reason", "field"),
    [
        ([ASK, CALL, {"role": "wizard", "content": "x"}], "unknown_role", "[2].role"),
        ([ASK, CALL, 5], "wrong_type", "[2]"),
        (
            [ASK, CALL, {"role": "user", "content": [{"type": "tool_result"}]}],
            "missing_field",
            "[2].content[0].tool_use_id",
        ),
        ([SAYS, CALLS, {"type": "function_call_output", "output": "x"}], "missing_field", "[2].call_id"),
        ([SAYS, CALLS, {"type": "function_call", "call_id": "c"}], "missing_field", "[2].name"),
    ],
)
def test_a_bad_message_is_quarantined_and_keeps_its_place(messages: list[Any], reason: str, field: str) -> None:
    lines = parsed([*messages, ASK])
    whole = parsed([*messages[:2], ASK, ASK])

    assert [(line.reason, line.field) for line in lines] == [("", ""), ("", ""), (reason, field), ("", "")]
    assert lines[3].drafts[-1].event_id == whole[3].drafts[-1].event_id


def test_a_longer_array_begins_with_the_events_of_the_shorter() -> None:
    for shorter in ([ASK, CALL], [SAYS, THINKS]):
        first = events_of(parsed(shorter))
        longer = events_of(parsed([*shorter, RESULT if shorter[0] is ASK else CALLS]))

        assert longer[: len(first)] == first


def test_json_lines_of_messages_are_one_session_and_a_bad_line_keeps_its_place() -> None:
    lines = parsed(to_lines(ASK, CALL) + b"{broken\n" + to_lines(DONE), "/runs/array.jsonl")

    assert outcomes(lines) == [("produced", ""), ("produced", ""), ("quarantined", "bad_json"), ("produced", "")]
    assert len({event.session_key for event in events_of(lines)}) == 1
    assert of_type(lines, "model.message")[0]["message_id"] == "m3"


def test_equal_messages_and_equal_bills_at_two_places_are_events_of_their_own() -> None:
    response = {"object": "response", "id": "r", "output": [ANSWERS], "usage": {"input_tokens": 3, "output_tokens": 1}}

    found = events_of(parsed([response, SAYS, response]))

    assert [one.type for one in found].count("usage.reported") == 2
    assert len({one.event_id for one in found}) == len(found)
