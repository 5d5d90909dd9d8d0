"""SWE-agent and mini-swe-agent: what a user message is follows from what stands before it, and nothing is told twice."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from contextapp.evidence import canonical
from contextapp.importers.contract import ParsedLine, UnfitFile
from contextapp.importers.mini_swe_agent.parser import parse as parse_mini
from contextapp.importers.recognise import recognise
from contextapp.importers.swe_agent.parser import parse as parse_swe
from tests.importers.parsing import Parser, events_of, of_type, outcomes, read, types_of
from tests.importers.test_mutated_records import mutated


def told(role: str, content: str, **rest: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "agent": "main", **rest}


SYSTEM = told("system", "Work in the shell.")
DEMO = told("user", "--- DEMONSTRATION ---", is_demo=True)
TASK = told("user", "Fix the parser.")
ACTS = told("assistant", "Look.\n```\nls -a\n```", thought="Look.\n", action="ls -a\n")
SEES = told("user", "main.py")
SUBMITS = told("assistant", "Done.\n```\nsubmit\n```", thought="Done.\n", action="submit\n")
CALLS = {"function": {"name": "edit", "arguments": '{"start_line": 1}'}, "id": "c1", "type": "function"}
STEPS = [
    {"action": "ls -a\n", "observation": "main.py", "response": ACTS["content"], "state": '{"working_dir": "/repo"}'},
    {"action": "submit\n", "observation": "diff --git", "response": SUBMITS["content"], "state": "{}"},
]
INFO = {"exit_status": "submitted", "model_stats": {"tokens_sent": 900, "tokens_received": 30, "instance_cost": 0.1}}
RUN = {
    "environment": "swe_main",
    "trajectory": STEPS,
    "history": [SYSTEM, DEMO, TASK, ACTS, SEES, SUBMITS],
    "info": INFO,
}
BLOCK = "Look.\n\n```mswea_bash_command\nls -a\n```"
GIVES = "<returncode>2</returncode>\n<output>\nno\n</output>"


def swe(value: Any) -> list[ParsedLine]:
    return read(json.dumps(value).encode(), "/runs/one.traj", parse_swe)


def mini(value: Any) -> list[ParsedLine]:
    return read(json.dumps(value).encode(), "/runs/one.traj.json", parse_mini)


def plain(role: str, content: str, **rest: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **rest}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (RUN, "swe_agent"),
        ({"history": RUN["history"]}, "swe_agent"),
        ({"trajectory": STEPS}, "swe_agent"),
        ([plain("system", "s"), plain("user", "t"), plain("assistant", BLOCK)], "mini_swe_agent"),
        ({"trajectory_format": "mini-swe-agent-1.1", "messages": [], "info": {}}, "mini_swe_agent"),
        ([plain("user", "t"), plain("assistant", "a")], "openai_chat"),
        ({"history": [{"role": "user", "content": "x"}]}, None),
    ],
)
def test_trajectories_are_known_by_their_marks(value: Any, expected: str | None) -> None:
    found = recognise(json.dumps(value).encode(), "x")

    assert (found.name if found else None) == expected


def test_task_answer_command_and_result_are_told_once_and_every_member_is_accounted_for() -> None:
    lines = swe(RUN)

    assert types_of(lines) == [
        "session.created", "instructions.loaded", "resource.included", "turn.started", "user.message", "model.message",
        "tool.requested", "tool.completed", "model.message", "tool.requested", "tool.completed", "usage.reported",
        "turn.completed", "session.ended",
    ]  # fmt: skip
    assert [outcome for outcome in outcomes(lines) if outcome[0] == "folded"] == [
        ("folded", "repeats_history"), ("folded", "settings"),
    ]  # fmt: skip
    assert len(lines) == 6 + 2 + 2


def test_a_demonstration_is_quoted_by_the_harness() -> None:
    included = of_type(swe(RUN), "resource.included")[0]

    assert (included["kind"], included["by"]) == ("demonstration", "harness")


def test_the_text_before_a_command_is_the_message_and_the_command_is_the_call() -> None:
    lines = swe(RUN)

    assert of_type(lines, "model.message")[0]["text"] == "Look.\n"
    assert [(one["name"], one["input"]["command"]) for one in of_type(lines, "tool.requested")] == [
        ("bash", "ls -a\n"), ("submit", "submit\n"),
    ]  # fmt: skip


def test_the_last_result_comes_from_the_steps_since_the_model_never_saw_it() -> None:
    last = of_type(swe(RUN), "tool.completed")[-1]

    assert (last["call_id"], last["content"]) == ("m5:0", "diff --git")


def test_calls_of_a_tool_keep_their_ids() -> None:
    answer = told("assistant", "Edit.", action="edit 1", tool_calls=[CALLS])
    history = [SYSTEM, TASK, answer, told("tool", "edited", tool_call_ids=["c1"])]

    lines = swe({"history": history})

    assert of_type(lines, "tool.requested")[0]["input"] == {"start_line": 1}
    assert of_type(lines, "tool.completed")[0]["call_id"] == "c1"


def test_a_user_message_without_a_call_before_it_is_a_note_of_the_harness() -> None:
    lines = swe(
        {"history": [SYSTEM, TASK, told("assistant", "Hm.", thought="Hm.", action=""), told("user", "No command!")]}
    )

    assert of_type(lines, "resource.included")[0]["kind"] == "harness_message"
    assert len(of_type(lines, "user.message")) == 1


def test_steps_without_a_history_are_the_run() -> None:
    lines = swe({"trajectory": STEPS})

    assert types_of(lines).count("tool.completed") == 2
    assert types_of(lines).count("turn.started") == 1


def test_the_bill_of_a_run_is_cumulative_and_one_of_nothing_is_none() -> None:
    assert of_type(swe(RUN), "usage.reported")[0]["quality"] == "cumulative"
    assert of_type(swe({**RUN, "info": {"model_stats": {"tokens_sent": 0}}}), "usage.reported") == []


def test_the_folder_and_the_model_of_the_run_are_those_it_names() -> None:
    settings = json.dumps({"agent": {"model": {"name": "gpt-x"}}})

    head = swe({**RUN, "replay_config": settings})[0].heads[-1]

    assert (head.cwd, head.model) == ("/repo", "gpt-x")


def test_a_bad_message_is_quarantined_and_the_rest_is_read() -> None:
    lines = swe({"history": [SYSTEM, told("wizard", "x"), TASK, 5]})

    assert [line.reason for line in lines] == ["", "unknown_role", "", "wrong_type"]
    assert [line.field for line in lines] == ["", "history[1].role", "", "history[3]"]


def test_a_longer_run_only_appends() -> None:
    shorter = events_of(swe({"history": RUN["history"][:4]}))

    longer = events_of(swe({"history": RUN["history"]}))

    assert longer[: len(shorter)] == shorter


def test_a_block_of_code_is_a_call_and_the_next_user_message_its_result() -> None:
    lines = mini([plain("system", "s"), plain("user", "task"), plain("assistant", BLOCK), plain("user", GIVES)])

    assert outcomes(lines) == [("produced", "")] * 4
    assert of_type(lines, "model.message")[0]["text"] == "Look."
    assert of_type(lines, "tool.requested")[0]["input"] == {"command": "ls -a"}
    assert of_type(lines, "tool.completed")[0]["exit_code"] == 2


def test_an_answer_with_two_blocks_is_no_call_and_the_note_that_follows_no_result() -> None:
    lines = mini(
        [plain("user", "t"), plain("assistant", BLOCK * 2), plain("user", "EXACTLY ONE"), plain("assistant", BLOCK)]
    )

    assert len(of_type(lines, "tool.requested")) == 1
    assert of_type(lines, "resource.included")[0]["text"] == "EXACTLY ONE"


def test_a_rejected_command_is_a_denial_by_the_person() -> None:
    text = "Command not executed. The user rejected your command with the following message:\nnot there"

    lines = mini([plain("user", "t"), plain("assistant", BLOCK), plain("user", text)])

    denial = of_type(lines, "permission.resolved")[0]
    assert (denial["decision"], denial["reason"], denial["by"]) == ("denied", "not there", "person")


def test_newer_runs_have_times_bills_and_an_end() -> None:
    response = {"model": "gpt-x", "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    call = {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}, "type": "function"}
    messages = [
        plain("user", "t"),
        plain("assistant", "Look.", tool_calls=[call], extra={"response": response, "timestamp": 1_700_000_000.5}),
        {"role": "tool", "tool_call_id": "c1", "content": "x", "extra": {"returncode": 0, "timestamp": 1_700_000_001}},
        plain("exit", "diff", extra={"exit_status": "Submitted"}),
    ]
    info = {
        "exit_status": "Submitted",
        "mini_version": "2.2.7",
        "config": {"model": {"model_name": "m"}, "environment": {"cwd": "/r"}},
    }

    lines = mini({"trajectory_format": "mini-swe-agent-1.1", "info": info, "messages": messages})

    assert types_of(lines)[-2:] == ["turn.completed", "session.ended"]
    assert types_of(lines).count("session.ended") == 1
    assert of_type(lines, "usage.reported")[0]["message_id"] == "m1"
    assert of_type(lines, "tool.completed")[0]["exit_code"] == 0
    assert lines[0].heads[-1].cwd == "/r" and lines[0].heads[-1].agent_version == "2.2.7"
    assert lines[1].drafts[0].occurred_at is not None


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("parser", [parse_swe, parse_mini])
def test_mutated_trajectories_are_read_or_quarantined(seed: int, parser: Parser) -> None:
    chance = random.Random(seed)
    messages = [plain("user", "t"), plain("assistant", BLOCK, extra={"response": {"usage": {}}}), plain("user", GIVES)]
    value = RUN if parser is parse_swe else {"info": {"exit_status": "x", "mini_version": "2"}, "messages": messages}
    body = json.dumps(mutated(mutated(mutated(value, chance), chance), chance)).encode()

    try:
        lines = read(body, "/a.traj", parser)
    except UnfitFile:
        return
    recognise(body, "x")

    assert all(bool(line.reason) != bool(line.drafts) for line in lines)
    for event in events_of(lines):
        canonical.encode(event.payload)
