"""Chat messages: documents, JSON lines, runs; calls, results and positions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextapp.importers.contract import UnfitFile
from tests.importers.parsing import events_of, of_type, outcomes, read_chat, to_lines, types_of

SYSTEM = {"role": "system", "content": "You book flights."}
ASK = {"role": "user", "content": "To Seattle, please"}
DONE = {"role": "assistant", "content": "Booked."}


def asks(call_id: str, arguments: Any = '{"to": "SEA"}') -> dict[str, Any]:
    function = {"name": "book", "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def answers(call_id: str, content: str = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "name": "book", "content": content}


def document(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def test_each_message_of_an_array_is_a_line() -> None:
    lines = read_chat(document([SYSTEM, ASK, asks("c1"), answers("c1"), DONE]))

    assert outcomes(lines) == [("produced", "")] * 5
    assert [line.line for line in lines] == [1, 2, 3, 4, 5]
    assert types_of(lines) == [
        "session.created", "instructions.loaded", "turn.started", "user.message", "tool.requested", "tool.completed",
        "model.message",
    ]  # fmt: skip


def test_a_system_message_is_a_session_instruction() -> None:
    loaded = of_type(read_chat(document([SYSTEM, ASK])), "instructions.loaded")[0]

    assert (loaded["level"], loaded["text"]) == ("session", "You book flights.")


def test_call_ids_that_are_used_again_keep_their_own_events() -> None:
    lines = read_chat(document([ASK, asks("c1"), answers("c1", "a"), asks("c1"), answers("c1", "a")]))

    ids = [event.event_id for event in events_of(lines)]
    assert len(ids) == len(set(ids))
    assert types_of(lines).count("tool.completed") == 2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"to": "SEA"}', {"to": "SEA"}),
        ('{"to": "SE', {"_raw": '{"to": "SE'}),
        ("[1]", {"_raw": "[1]"}),
        ('{"n": NaN}', {"_raw": '{"n": NaN}'}),
        ("", {}),
        (None, {}),
        ({"to": "SEA"}, {"to": "SEA"}),
    ],
)
def test_arguments_that_are_no_object_are_kept_as_they_are(arguments: Any, expected: dict[str, Any]) -> None:
    assert of_type(read_chat(document([ASK, asks("c1", arguments)])), "tool.requested")[0]["input"] == expected


def test_each_prompt_is_a_turn() -> None:
    lines = read_chat(document([ASK, DONE, ASK, DONE]))

    assert types_of(lines).count("turn.started") == 2
    assert types_of(lines).count("turn.completed") == 1


@pytest.mark.parametrize("field", ["traj", "messages"])
def test_each_run_of_a_list_is_a_session_named_by_its_task(field: str) -> None:
    runs = [{"task_id": number, "trial": 0, field: [ASK, DONE]} for number in range(3)]

    lines = read_chat(document(runs))

    keys = {event.session_key for event in events_of(lines)}
    assert len(lines) == 6
    assert [key.rsplit(":", 1)[1] for key in sorted(keys)] == [f"task_id-{n}/trial-0" for n in range(3)]


def test_tools_beside_the_messages_are_available() -> None:
    tool = {"type": "function", "function": {"name": "book", "description": "Books", "parameters": {"type": "object"}}}

    lines = read_chat(document({"model": "gpt-4o", "tools": [tool], "messages": [ASK, DONE]}))

    assert of_type(lines, "tools.available")[0]["tools"][0]["name"] == "book"
    assert lines[0].heads[0].model == "gpt-4o"


def test_json_lines_of_messages_are_one_session() -> None:
    lines = read_chat(to_lines(SYSTEM, ASK, DONE), "/runs/chat.jsonl")

    assert outcomes(lines) == [("produced", "")] * 3
    assert len({event.session_key for event in events_of(lines)}) == 1


@pytest.mark.parametrize("wrap", [lambda messages: messages, lambda messages: {"messages": messages}])
def test_json_lines_of_conversations_are_sessions_of_their_own(wrap: Any) -> None:
    lines = read_chat(to_lines(wrap([ASK, DONE]), wrap([ASK, DONE])), "/runs/chat.jsonl")

    assert outcomes(lines) == [("produced", "")] * 2
    assert len({event.session_key for event in events_of(lines)}) == 2


def test_a_single_line_document_is_a_document_without_its_suffix() -> None:
    assert len(read_chat(json.dumps([ASK, DONE]).encode())) == 2


def test_a_text_rendered_for_reading_is_quarantined() -> None:
    lines = read_chat(to_lines({"messages_display": "user: hi\nassistant: None"}), "/runs/few_shot.jsonl")

    assert [(line.reason, line.field) for line in lines] == [("rendered_text", "messages_display")]


@pytest.mark.parametrize(
    ("message", "reason", "field"),
    [
        ({"role": "wizard", "content": "x"}, "unknown_role", "[1].role"),
        ({"content": "x"}, "missing_field", "[1].role"),
        ("words", "wrong_type", "[1]"),
        ({"role": "user", "content": 4}, "wrong_type", "[1].content"),
        ({"role": "tool", "content": "x"}, "missing_field", "[1].tool_call_id"),
        ({"role": "assistant", "tool_calls": [{"id": "c"}]}, "wrong_type", "[1].tool_calls[0].function"),
    ],
)
def test_a_bad_message_is_quarantined_and_keeps_its_place(message: Any, reason: str, field: str) -> None:
    lines = read_chat(document([ASK, message, DONE]))
    whole = read_chat(document([ASK, DONE, DONE]))

    assert outcomes(lines) == [("produced", ""), ("quarantined", reason), ("produced", "")]
    assert lines[1].field == field
    assert lines[2].drafts[-1].event_id == whole[2].drafts[-1].event_id


def test_a_bad_message_inside_a_line_quarantines_the_line() -> None:
    lines = read_chat(to_lines({"messages": [ASK, {"role": "x"}]}, {"messages": [ASK]}), "/runs/chat.jsonl")

    assert outcomes(lines) == [("quarantined", "unknown_role"), ("produced", "")]
    assert lines[0].field == "messages[1].role"


@pytest.mark.parametrize("body", [b"[{", b"not json", b'"text"', b"", b"[1e999]"])
def test_a_document_that_is_no_conversation_is_refused_by_name(body: bytes) -> None:
    with pytest.raises(UnfitFile, match=r"/runs/chat\.json"):
        read_chat(body)


def test_functions_of_the_first_form_are_paired_by_name() -> None:
    old = {"role": "assistant", "content": None, "function_call": {"name": "book", "arguments": "{}"}}

    lines = read_chat(document([ASK, old, {"role": "function", "name": "book", "content": "ok"}]))

    assert of_type(lines, "tool.completed")[0]["call_id"] == of_type(lines, "tool.requested")[0]["call_id"]


def test_pictures_are_parts_and_addresses_are_not_fetched() -> None:
    parts = [
        {"type": "text", "text": "what is this"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}},
    ]

    spoken = of_type(read_chat(document([{"role": "user", "content": parts}])), "user.message")[0]

    assert [picture.get("url", "") for picture in spoken["media"]] == ["", "https://example.com/cat.png"]
    assert spoken["media"][0]["size_bytes"] == 8


def test_a_longer_array_begins_with_the_events_of_the_shorter() -> None:
    shorter = events_of(read_chat(document([SYSTEM, ASK, DONE])))
    longer = events_of(read_chat(document([SYSTEM, ASK, DONE, ASK, DONE])))

    assert longer[: len(shorter)] == shorter


def test_files_of_one_name_in_two_folders_are_two_conversations() -> None:
    here, there = (events_of(read_chat(document([ASK]), f"/{folder}/chat.json")) for folder in ("a", "b"))

    assert here[0].session_key != there[0].session_key
