"""OpenHands V1: messages, actions, results, rejections, counters, condensations, and folders with a file for each event."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from contextapp.evidence import canonical
from contextapp.importers.contract import ParsedLine, UnfitFile
from contextapp.importers.openhands_v1.parser import parse
from contextapp.importers.recognise import recognise
from tests.importers.parsing import events_of, of_type, outcomes, read, to_lines, types_of
from tests.importers.test_mutated_records import mutated

FOLDER = "/c/11111111222233334444555555555555"


def event(name: str, kind: str, source: str = "agent", **rest: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "2026-06-16T05:39:18.8", "source": source, "kind": kind, **rest}


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": words, "cache_prompt": False}]


def stats(name: str, prompt: int, output: int, read_tokens: int = 0) -> dict[str, Any]:
    total = {"model": "m", "prompt_tokens": prompt, "completion_tokens": output, "cache_read_tokens": read_tokens}
    value = {"usage_to_metrics": {"default": {"accumulated_token_usage": total}}}
    return event(name, "ConversationStateUpdateEvent", "environment", key="stats", value=value)


SYSTEM = event(
    "s", "SystemPromptEvent", system_prompt=text("Be brief.")[0], tools=[{"title": "terminal", "kind": "TerminalTool"}]
)
ASK = event(
    "u", "MessageEvent", "user", llm_message={"role": "user", "content": text("Fix it")}, extended_content=text("Skill")
)
ACT = event(
    "a", "ActionEvent", thought=text("I look."), reasoning_content="hm", thinking_blocks=[], tool_name="terminal",
    tool_call_id="t1", tool_call={"id": "t1", "name": "terminal", "arguments": '{"command": "ls"}'},
    action={"command": "ls", "kind": "TerminalAction"}, llm_response_id="r1",
)  # fmt: skip
ENDED = {"exit_code": 1, "suffix": "\n[exit 1]"}
SAW = event(
    "o", "ObservationEvent", "environment", tool_name="terminal", tool_call_id="t1", action_id="a",
    observation={"content": text("main.py"), "is_error": False, "exit_code": None, "metadata": ENDED},
)  # fmt: skip
SAID = event("m", "MessageEvent", llm_message={"role": "assistant", "content": text("Done.")}, llm_response_id="r2")
RUN = [SYSTEM, ASK, stats("c1", 30, 4, 10), ACT, SAW, stats("c2", 70, 9, 40), SAID]


def parsed(*values: Any, name: str = "/runs/events.jsonl") -> list[ParsedLine]:
    return read(to_lines(*values), name, parse)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (to_lines(*RUN), True),
        (json.dumps(RUN).encode(), True),
        (json.dumps(ACT, indent=1).encode(), True),
        (json.dumps({"id": "x", "agent": {"llm": {}}, "workspace": {}}).encode(), True),
        (to_lines({"id": "x", "kind": "observation", "source": "a"}), False),
        (to_lines({"kind": "MessageEvent"}), False),
    ],
)
def test_events_are_known_by_their_kind(body: bytes, expected: bool) -> None:
    found = recognise(body, "x")

    assert (found is not None and found.name == "openhands_v1") is expected


def test_messages_actions_and_results_become_events_and_counters_the_bills_between() -> None:
    lines = parsed(*RUN)

    assert types_of(lines) == [
        "session.created", "instructions.loaded", "tools.available", "turn.started", "user.message", "resource.included",
        "model.thinking", "model.message", "tool.requested", "usage.reported", "tool.completed", "model.message",
        "usage.reported",
    ]  # fmt: skip
    bills = of_type(lines, "usage.reported")
    assert [(one["message_id"], one["input_uncached"], one["cache_read"], one["output"]) for one in bills] == [
        ("r1", 20, 10, 4), ("r2", 10, 30, 5),
    ]  # fmt: skip
    assert outcomes(lines)[2] == ("folded", "counters")
    result = of_type(lines, "tool.completed")[0]
    assert (result["content"], result["exit_code"]) == ("main.py\n[exit 1]", 1)
    assert of_type(lines, "tools.available")[0]["tools"][0]["name"] == "terminal"


def test_actions_of_one_answer_tell_its_text_once() -> None:
    lines = parsed(ASK, ACT, {**ACT, "id": "a2", "tool_call_id": "t2"})

    assert len(of_type(lines, "model.message")) == 1
    assert [one["call_id"] for one in of_type(lines, "tool.requested")] == ["t1", "t2"]


def test_a_bill_whose_answer_is_missing_is_of_no_message() -> None:
    lines = parsed(stats("c1", 30, 4), stats("c2", 50, 6), ACT)

    bills = of_type(lines, "usage.reported")
    assert [(one["message_id"], one["input_uncached"], one["quality"]) for one in bills] == [
        ("", 30, "cumulative"), ("r1", 20, "exact"),
    ]  # fmt: skip


def test_counters_that_fell_began_anew() -> None:
    lines = parsed(stats("c1", 900, 90), ACT, stats("c2", 50, 6), SAID)

    assert [one["input_uncached"] for one in of_type(lines, "usage.reported")] == [900, 50]


@pytest.mark.parametrize(("source", "by"), [("user", "person"), ("hook", "rule")])
def test_a_rejection_is_a_denial_and_a_result(source: str, by: str) -> None:
    no = event("x", "UserRejectObservation", "user", tool_call_id="t1", rejection_reason="no", rejection_source=source)

    lines = parsed(ASK, ACT, no)

    assert of_type(lines, "permission.resolved")[0]["by"] == by
    assert of_type(lines, "tool.completed")[0]["is_error"] is True


def test_an_error_of_the_agent_is_the_result_of_its_call() -> None:
    lines = parsed(ASK, ACT, event("e", "AgentErrorEvent", tool_name="terminal", tool_call_id="t1", error="boom"))

    assert of_type(lines, "tool.completed")[0]["content"] == "boom"


def test_a_condensation_covers_what_it_forgot_and_tells_kept_prompts_again() -> None:
    forgets = event("k", "Condensation", "environment", forgotten_event_ids=["a", "o"], summary="Looked around.")

    lines = parsed(ASK, ACT, SAW, SAID, forgets)

    told = types_of(lines)
    assert of_type(lines, "session.compacted")[0]["covers"] == [1, told.index("tool.completed") + 1]
    assert of_type(lines, "resource.included")[-1]["kind"] == "kept_message"


def test_statuses_pauses_and_errors_end_the_turn() -> None:
    update = event("f", "ConversationStateUpdateEvent", "environment", key="execution_status", value="finished")
    failed = event("g", "ConversationErrorEvent", "environment", code="LLMError", detail="429")

    lines = parsed(ASK, SAID, update, event("p", "PauseEvent", "user"), failed)

    assert [one["stop_reason"] for one in of_type(lines, "turn.completed")] == ["finished", "paused", "error"]
    assert of_type(lines, "model.message")[-1]["synthetic"] is True


def test_edits_and_plans_are_told_beside_their_results() -> None:
    edit = {"content": text("ok"), "command": "create", "path": "/a", "prev_exist": False}
    plan = {"content": text("ok"), "command": "plan", "task_list": [{"title": "Draft", "status": "todo"}]}

    lines = parsed(ASK, ACT, {**SAW, "observation": edit}, {**SAW, "id": "o2", "observation": plan})

    assert of_type(lines, "file.changed")[0]["operation"] == "created"
    assert of_type(lines, "plan.updated")[0]["items"] == [{"text": "Draft", "status": "todo"}]


def test_files_of_a_folder_are_pieces_of_the_session_it_names() -> None:
    state = {
        "id": "11111111-2222-3333-4444-555555555555",
        "agent": {"llm": {"model": "m"}},
        "workspace": {"working_dir": "/w"},
    }
    pieces = [
        parsed(state, name=f"{FOLDER}/base_state.json"),
        parsed(ASK, name=f"{FOLDER}/events/event-00001-u.json"),
        parsed(ACT, name=f"{FOLDER}/events/event-00002-a.json"),
    ]

    assert {one.session_key for lines in pieces for one in events_of(lines)} == {f"openhands_v1:{FOLDER[3:]}"}
    assert len({one.event_id for lines in pieces for one in events_of(lines) if one.type == "session.created"}) == 1
    assert pieces[0][0].heads[0].cwd == "/w"
    assert "turn.started" not in types_of(pieces[2])


def test_an_event_told_twice_is_folded_and_an_unknown_one_kept() -> None:
    strange = event("z", "SomeFutureEvent", n=1)

    lines = parsed(ASK, ASK, strange)

    assert outcomes(lines)[1] == ("folded", "duplicate")
    assert of_type(lines, "import.unknown")[0]["record"] == strange


def test_a_longer_file_begins_with_the_events_of_the_shorter() -> None:
    shorter, longer = events_of(parsed(*RUN[:5])), events_of(parsed(*RUN))

    assert longer[: len(shorter)] == shorter


@pytest.mark.parametrize("seed", range(120))
def test_mutated_events_are_read_or_quarantined(seed: int) -> None:
    chance = random.Random(seed)
    value: Any = [
        *RUN,
        event("k", "Condensation", forgotten_event_ids=["a"], summary="s"),
        event("e", "AgentErrorEvent"),
    ]
    made = mutated(mutated(mutated(value, chance), chance), chance)
    body = json.dumps(made).encode()

    try:
        lines = read(body, "/a.json", parse) + read(to_lines(*made), f"{FOLDER}/events/event-1-a.jsonl", parse)
    except UnfitFile:
        return
    recognise(body, "x")

    assert all(bool(line.reason) != bool(line.drafts) for line in lines)
    for one in events_of(lines):
        canonical.encode(one.payload)
