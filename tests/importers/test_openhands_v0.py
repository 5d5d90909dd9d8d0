"""OpenHands V0: actions of one answer, observations by their cause, recall, condensation, and bills that are told once."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from contextapp.evidence import canonical
from contextapp.importers.contract import ParsedLine, UnfitFile
from contextapp.importers.openhands_v0.parser import parse
from contextapp.importers.recognise import recognise
from tests.importers.parsing import events_of, of_type, outcomes, read, to_lines, types_of
from tests.importers.test_mutated_records import mutated


def event(number: int, source: str = "agent", **rest: Any) -> dict[str, Any]:
    return {"id": number, "timestamp": f"2025-01-27T22:45:{number:02d}.5", "source": source, "message": "", **rest}


def answer(call_id: str, name: str, arguments: str, response: str = "r1") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    message = {"content": "I look.", "tool_calls": [{"id": call_id, "type": "function", "function": function}]}
    usage = {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 10}}
    made = {"id": response, "model": "m", "choices": [{"message": message}], "usage": usage}
    return {"function_name": name, "tool_call_id": call_id, "model_response": made}


SYSTEM = event(0, action="system", args={"content": "s", "tools": [{"type": "function", "function": {"name": "bash"}}]})
ASK = event(1, "user", action="message", args={"content": "Rename it", "image_urls": None})
RUN = event(
    2,
    action="run",
    args={"command": "mv a b", "thought": "I look.", "confirmation_state": "confirmed"},
    tool_call_metadata=answer("t1", "execute_bash", '{"command": "mv a b"}'),
)
RAN = event(
    3,
    observation="run",
    cause=2,
    content="done",
    extras={"metadata": {"exit_code": 0, "suffix": "\n[exit 0]"}},
    tool_call_metadata=answer("t1", "execute_bash", "{}"),
    success=True,
)
DONE = event(4, action="finish", args={"thought": "Renamed."}, tool_call_metadata=answer("t2", "finish", "{}", "r2"))
HISTORY = [SYSTEM, ASK, RUN, RAN, DONE]


def parsed(value: Any, name: str = "/runs/trajectory.json") -> list[ParsedLine]:
    return read(json.dumps(value).encode(), name, parse)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (json.dumps(HISTORY).encode(), True),
        (json.dumps(HISTORY, indent=2).encode(), True),
        (json.dumps([[ASK, RAN]]).encode(), True),
        (to_lines({"instance_id": "a", "history": HISTORY, "metrics": {}}), True),
        (to_lines(*HISTORY), True),
        (json.dumps({"history": [{"role": "user", "content": "x", "action": "ls"}]}).encode(), False),
        (json.dumps([{"action": 3}]).encode(), False),
    ],
)
def test_histories_are_known_by_their_events(body: bytes, expected: bool) -> None:
    found = recognise(body, "x")

    assert (found is not None and found.name == "openhands_v0") is expected


def test_an_answer_is_told_once_with_its_call_its_bill_and_its_result() -> None:
    lines = parsed(HISTORY)

    assert types_of(lines) == [
        "session.created", "instructions.loaded", "tools.available", "turn.started", "user.message", "model.message",
        "tool.requested", "usage.reported", "tool.completed", "model.message", "tool.requested", "usage.reported",
        "turn.completed",
    ]  # fmt: skip
    assert of_type(lines, "tool.requested")[0]["input"] == {"command": "mv a b"}
    result = of_type(lines, "tool.completed")[0]
    assert (result["content"], result["exit_code"], result["call_id"]) == ("done\n[exit 0]", 0, "t1")
    assert of_type(lines, "usage.reported")[0]["input_uncached"] == 20


def test_two_actions_of_one_answer_are_one_message_with_one_bill() -> None:
    second = event(4, action="read", args={"path": "/b"}, tool_call_metadata=answer("t2", "view", '{"path": "/b"}'))

    lines = parsed([ASK, RUN, second])

    assert len(of_type(lines, "model.message")) == len(of_type(lines, "usage.reported")) == 1
    assert [one["message_id"] for one in of_type(lines, "tool.requested")] == ["r1", "r1"]


def test_an_action_without_its_answer_is_a_call_in_the_words_of_the_harness() -> None:
    bare = event(2, action="run", args={"command": "ls", "thought": "Look.", "hidden": False})

    lines = parsed([ASK, bare, event(3, observation="run", cause=2, content="x", extras={"exit_code": -1})])

    assert of_type(lines, "tool.requested")[0]["input"] == {"command": "ls"}
    assert of_type(lines, "model.message")[0]["text"] == "Look."
    assert "exit_code" not in of_type(lines, "tool.completed")[0]


def test_pairs_without_numbers_belong_together() -> None:
    act = {"action": "run", "args": {"command": "ls", "thought": "", "is_confirmed": "rejected"}}
    saw = {"observation": "run", "content": "x", "extras": {"exit_code": 1}}

    lines = parsed([[act, saw], [act, saw]])

    calls, results = of_type(lines, "tool.requested"), of_type(lines, "tool.completed")
    assert [one["call_id"] for one in results] == [one["call_id"] for one in calls]
    assert len({one["call_id"] for one in calls}) == 2
    assert of_type(lines, "permission.resolved")[0]["decision"] == "denied"


def test_confirmed_is_no_decision_and_waiting_is_a_question() -> None:
    asked = event(2, action="run", args={"command": "ls", "confirmation_state": "awaiting_confirmation"})

    assert "permission.resolved" not in types_of(parsed(HISTORY))
    assert of_type(parsed([ASK, asked]), "permission.requested") == [{"call_id": "event:2", "tool": "run"}]


def test_recalled_knowledge_is_quoted_and_instructions_of_the_repository_instruct() -> None:
    extras = {"repo_instructions": "Use tabs.", "microagent_knowledge": [{"name": "git", "content": "Never push."}]}

    lines = parsed([ASK, event(2, "environment", observation="recall", content="", extras=extras)])

    assert of_type(lines, "instructions.loaded")[0]["level"] == "project"
    assert of_type(lines, "resource.included")[0]["kind"] == "microagent"


def test_a_condensation_covers_what_it_forgot_and_tells_kept_prompts_again() -> None:
    forgets = event(5, action="condensation", args={"forgotten_event_ids": [2, 3], "summary": "It was renamed."})

    lines = parsed([ASK, RUN, RAN, DONE, forgets])

    compacted = of_type(lines, "session.compacted")[0]
    told = [one.type for one in events_of(lines)]
    assert compacted["covers"] == [1, told.index("tool.completed") + 1]
    assert (compacted["part"], compacted["trust"]) == ("whole", "untrusted")
    assert of_type(lines, "resource.included")[0]["text"] == "Rename it"


def test_states_end_a_turn_only_after_a_prompt() -> None:
    waits = {"observation": "agent_state_changed", "content": "", "extras": {"agent_state": "awaiting_user_input"}}

    lines = parsed([event(0, "environment", **waits), ASK, event(2, "environment", **waits)])

    assert outcomes(lines)[0] == ("folded", "agent_state")
    assert types_of(lines).count("turn.completed") == 1


def test_a_file_that_was_written_is_a_change_and_one_that_was_refused_is_none() -> None:
    edit = event(2, action="edit", args={"path": "/a"}, tool_call_metadata=answer("t1", "edit", "{}"))
    extras = {"path": "/a", "prev_exist": False}
    wrote = event(3, observation="edit", cause=2, content="ok", extras=extras)

    assert of_type(parsed([ASK, edit, wrote]), "file.changed")[0]["operation"] == "created"
    assert of_type(parsed([ASK, edit, {**wrote, "content": "ERROR:\nno"}]), "file.changed") == []


def test_bills_of_answers_without_an_action_come_from_the_metrics() -> None:
    usages = [{"model": "m", "prompt_tokens": 9, "cache_read_tokens": 4, "response_id": name} for name in ("r1", "r9")]
    run = {"instance_id": "a/b", "history": HISTORY, "metrics": {"token_usages": usages}, "error": None}

    lines = parsed(run)

    assert [one["message_id"] for one in of_type(lines, "usage.reported")] == ["r1", "r2", "r9"]
    assert of_type(lines, "usage.reported")[-1]["input_uncached"] == 5
    assert len(lines) == len(HISTORY) + 3


def test_lines_of_runs_are_sessions_of_their_own() -> None:
    lines = read(to_lines(*({"instance_id": name, "history": HISTORY} for name in "aba")), "/output.jsonl", parse)

    assert outcomes(lines) == [("produced", "")] * 3
    assert len({one.session_key for one in events_of(lines)}) == 3


def test_files_of_one_folder_are_pieces_of_one_session() -> None:
    first, second = parsed(ASK, "/s/1/events/1.json"), parsed(RUN, "/s/1/events/2.json")

    assert events_of(first)[0].session_key == events_of(second)[0].session_key
    assert events_of(first)[0].event_id == events_of(second)[0].event_id  # the session is created once
    assert "turn.started" not in types_of(second)


def test_an_unknown_action_is_kept_and_a_broken_one_quarantined() -> None:
    strange = event(2, action="teleport", args={})

    lines = parsed([ASK, strange, 5, event(3, action="run", args=7)])

    assert of_type(lines, "import.unknown")[0]["record"] == strange
    assert [line.reason for line in lines] == ["", "", "wrong_type", "wrong_type"]


@pytest.mark.parametrize("seed", range(120))
def test_mutated_histories_are_read_or_quarantined(seed: int) -> None:
    chance = random.Random(seed)
    forgets = event(5, action="condensation", args={"forgotten_events_start_id": 2, "forgotten_events_end_id": 3})
    recalls = event(6, observation="recall", extras={"microagent_knowledge": [{"name": "a", "content": "b"}]})
    usages = {"token_usages": [{"prompt_tokens": 3, "response_id": "x"}]}
    value: Any = {"instance_id": "a", "history": [*HISTORY, forgets, recalls], "metrics": usages, "metadata": {}}
    body = json.dumps(mutated(mutated(mutated(value, chance), chance), chance)).encode()

    try:
        lines = read(body, "/a.json", parse) + read(body + b"\n" + body, "/a.jsonl", parse)
    except UnfitFile:
        return
    recognise(body, "x")

    assert all(bool(line.reason) != bool(line.drafts) for line in lines)
    for one in events_of(lines):
        canonical.encode(one.payload)
