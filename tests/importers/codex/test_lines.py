"""Every line has one fate: bad ones are told by reason and place, unknown ones are kept, bare ones are read."""

from __future__ import annotations

import json

import pytest

from contextapp.importers.codex.parser import parse
from contextapp.importers.recognise import recognise
from tests.importers.codex.rollouts import (
    Line,
    bill,
    call,
    context,
    event,
    head,
    item,
    line,
    message,
    read_rollout,
    result,
    starts,
    thought,
)
from tests.importers.parsing import events_of, of_type, outcomes, read, to_lines, types_of

BARE_HEAD: Line = {"id": "0199", "timestamp": "2025-06-01T10:00:00.000Z", "instructions": "Be brief.", "git": {}}
BARE: list[Line] = [
    BARE_HEAD,
    {"record_type": "state"},
    message("Fix it")["payload"],
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "fine"},
    message("Done.", "assistant")["payload"],
]


@pytest.mark.parametrize(
    ("bad", "reason", "field"),
    [
        (b"{oops}", "bad_json", ""),
        (b"[1]", "not_an_object", ""),
        (json.dumps({"type": "event_msg"}).encode(), "missing_field", "payload"),
        (json.dumps({"type": "event_msg", "payload": []}).encode(), "wrong_type", "payload"),
        (json.dumps({"timestamp": "t"}).encode(), "wrong_value", "timestamp"),
        (json.dumps(item("message", role="alien", content="x")).encode(), "unknown_role", "payload.role"),
        (json.dumps(item("message", role="user", content=[7])).encode(), "wrong_type", "payload.content[0]"),
        (json.dumps(item("function_call", call_id="c")).encode(), "missing_field", "payload.name"),
        (json.dumps(item("function_call_output", output="x")).encode(), "missing_field", "payload.call_id"),
        (json.dumps(event("token_count", info=[])).encode(), "wrong_type", "payload.info"),
        (json.dumps(head(cwd=7)).encode(), "wrong_type", "payload.cwd"),
        (
            json.dumps(line("compacted", {"replacement_history": ["x"]})).encode(),
            "wrong_type",
            "payload.replacement_history[0]",
        ),
    ],
)
def test_a_bad_line_is_quarantined_and_its_neighbours_are_read(bad: bytes, reason: str, field: str) -> None:
    body = to_lines(head()) + bad + b"\n" + to_lines(message("on"))

    lines = read(body, "rollout.jsonl", parse)

    assert outcomes(lines) == [("produced", ""), ("quarantined", reason), ("produced", "")]
    assert (lines[1].line, lines[1].field) == (2, field)


def test_unknown_records_are_kept_word_for_word_for_the_audit() -> None:
    unknown = [line("new_kind", {"a": 1}), item("new_item", b=2), event("new_event", c=3)]

    lines = read_rollout(head(), *unknown)

    kept = [draft for parsed in lines for draft in parsed.drafts if draft.type == "import.unknown"]
    assert [draft.payload["record_type"] for draft in kept] == [
        "new_kind",
        "response_item/new_item",
        "event_msg/new_event",
    ]
    assert [draft.payload["record"] for draft in kept] == [unknown[0], unknown[1]["payload"], unknown[2]["payload"]]
    assert {draft.visibility for draft in kept} == {"audit"}


def test_two_records_on_one_line_are_both_read() -> None:
    joined = to_lines(bill(100, 100))[:-1] + to_lines(starts())

    lines = read(to_lines(head(), thought()) + joined, "rollout.jsonl", parse)

    assert [draft.type for draft in lines[2].drafts] == ["usage.reported", "turn.completed", "turn.started"]


def test_bare_items_are_read_like_wrapped_ones() -> None:
    lines = read_rollout(*BARE)

    assert types_of(lines) == [
        "session.created", "instructions.loaded", "turn.started", "user.message", "model.thinking", "tool.requested",
        "tool.completed", "model.message",
    ]  # fmt: skip
    assert outcomes(lines)[1] == ("folded", "state")
    assert lines[0].heads[0].key == "codex_cli:0199"
    assert of_type(lines, "instructions.loaded")[0]["text"] == "Be brief."


def test_equal_records_at_other_places_are_other_events() -> None:
    events = events_of(read_rollout(head(), message("again"), message("again")))

    assert len({each.event_id for each in events}) == len(events) == 4


def test_a_longer_snapshot_only_adds() -> None:
    records = [
        head(), starts(), context(), message("Fix it"), thought(), call("c1"), bill(9, 9), result("c1"),
        message("Done.", "assistant"),
    ]  # fmt: skip
    whole = events_of(read_rollout(*records))

    for length in range(1, len(records)):
        part = events_of(read_rollout(*records[:length]))
        assert part == whole[: len(part)]


def test_a_file_without_a_head_is_known_by_the_id_in_its_name() -> None:
    own = "0199812e-64f0-7f73-91fc-095dda01c36e"

    lines = read_rollout(message("hi"), name=f"/s/rollout-2026-03-01T10-00-00-{own}.jsonl")

    assert lines[0].heads[0].key == f"codex_cli:{own}"
    assert read_rollout(message("hi"), name="a.jsonl")[0].heads[0].key.startswith("codex_cli:unnamed-")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (to_lines(head()), "x.txt"),
        (b"rubbish\n" + to_lines(message("hi")), "x"),
        (to_lines(head(base_instructions={"text": "a" * 400_000})), "x"),
        (to_lines(*BARE), "x"),
        (to_lines(*BARE[2:]), "rollout-2025.jsonl"),
    ],
)
def test_rollouts_are_known_by_their_lines(body: bytes, name: str) -> None:
    found = recognise(body[: 256 * 1024], name)

    assert found is not None and found.name == "codex_cli"


@pytest.mark.parametrize(
    "record", [{"type": "session_meta"}, {"id": "x", "timestamp": "t"}, {"type": "x", "payload": {}}]
)
def test_relatives_are_not_taken_for_rollouts(record: Line) -> None:
    assert recognise(to_lines(record), "rollout-2025.jsonl") is None
