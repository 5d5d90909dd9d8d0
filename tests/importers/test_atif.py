"""ATIF: steps, results, bills, sub-agents, copied context, and steps in which no model was called."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from contextapp.evidence import canonical
from contextapp.importers.atif.parser import parse
from contextapp.importers.contract import ParsedLine, UnfitFile
from contextapp.importers.recognise import recognise
from tests.importers.parsing import events_of, of_type, outcomes, read, to_lines, types_of
from tests.importers.test_mutated_records import mutated

TOOL = {"type": "function", "function": {"name": "search", "description": "d", "parameters": {"type": "object"}}}
AGENT = {"name": "helper", "version": "1.2", "model_name": "gpt-x", "tool_definitions": [TOOL]}
CALL = {"tool_call_id": "c1", "function_name": "search", "arguments": {"q": "x"}}


def step(number: int, source: str, message: Any = "", **rest: Any) -> dict[str, Any]:
    return {"step_id": number, "timestamp": "2025-02-01T10:00:00Z", "source": source, "message": message, **rest}


def results(*found: dict[str, Any]) -> dict[str, Any]:
    return {"results": list(found)}


SYSTEM = step(1, "system", "Be brief.")
ASK = step(2, "user", "Find it.")
SEARCHES = step(
    3,
    "agent",
    "I search.",
    reasoning_content="hm",
    tool_calls=[CALL],
    observation=results({"source_call_id": "c1", "content": "found"}),
    metrics={"prompt_tokens": 30, "cached_tokens": 10, "completion_tokens": 4},
)
DONE = step(4, "agent", "Done.", metrics={"prompt_tokens": 50, "completion_tokens": 2})
TOTALS = {"total_prompt_tokens": 80, "total_completion_tokens": 6}


def run(*steps: Any, **rest: Any) -> dict[str, Any]:
    return {"schema_version": "ATIF-v1.6", "session_id": "run-1", "agent": AGENT, "steps": list(steps), **rest}


RUN = run(SYSTEM, ASK, SEARCHES, DONE, final_metrics=TOTALS)


def parsed(value: Any, name: str = "/runs/trajectory.json") -> list[ParsedLine]:
    return read(json.dumps(value).encode(), name, parse)


@pytest.mark.parametrize("version", ["ATIF-v1.0", "ATIF-v1.4", "ATIF-v1.8"])
def test_trajectories_of_every_version_are_known(version: str) -> None:
    whole = {**RUN, "schema_version": version}

    for body in (json.dumps(whole).encode(), json.dumps([whole], indent=1).encode(), to_lines(whole, whole)):
        found = recognise(body, "x")
        assert found is not None and found.name == "atif"


@pytest.mark.parametrize(
    "value", [{"schema_version": "ATIF-v2.0", "steps": []}, {"steps": []}, {"schema_version": "ATIF-v1.1"}]
)
def test_other_documents_are_not_taken_for_one(value: Any) -> None:
    found = recognise(json.dumps(value).encode(), "x")

    assert found is None or found.name != "atif"


def test_each_step_is_a_line_and_totals_that_repeat_the_steps_are_folded() -> None:
    lines = parsed(RUN)

    assert types_of(lines) == [
        "session.created", "tools.available", "instructions.loaded", "turn.started", "user.message", "model.thinking",
        "model.message", "tool.requested", "usage.reported", "tool.completed", "model.message", "usage.reported",
    ]  # fmt: skip
    assert outcomes(lines)[-1] == ("folded", "totals")
    assert len(lines) == 1 + 4 + 1
    head = lines[0].heads[0]
    assert (head.key, head.agent, head.agent_version, head.model) == ("atif:run-1", "helper", "1.2", "gpt-x")


def test_the_cached_tokens_are_a_part_of_the_prompts() -> None:
    bill = of_type(parsed(RUN), "usage.reported")[0]

    assert (bill["input_uncached"], bill["cache_read"], bill["output"]) == (20, 10, 4)


def test_totals_are_told_where_no_step_has_a_bill() -> None:
    bare = step(3, "agent", "Done.")

    bill = of_type(parsed(run(ASK, bare, final_metrics=TOTALS)), "usage.reported")[0]

    assert (bill["input_uncached"], bill["quality"]) == (80, "cumulative")


def test_a_result_without_an_id_answers_the_only_call_and_else_is_an_observation() -> None:
    loose = results({"content": "seen"})

    one = parsed(run(ASK, {**SEARCHES, "observation": loose}))
    none = parsed(run(ASK, step(3, "agent", "ls", observation=loose)))

    assert of_type(one, "tool.completed")[0]["call_id"] == "c1"
    assert of_type(none, "resource.included")[0]["text"] == "seen"


def test_a_call_without_a_result_stays_open() -> None:
    assert of_type(parsed(run(ASK, {**SEARCHES, "observation": None})), "tool.completed") == []


def test_pictures_are_named_by_their_path() -> None:
    picture = {"type": "image", "source": {"media_type": "image/png", "path": "shots/1.png"}}

    spoken = of_type(parsed(run(step(1, "user", [{"type": "text", "text": "See"}, picture]))), "user.message")[0]

    assert spoken["text"] == "See"
    assert spoken["media"] == [{"media_type": "image/png", "url": "shots/1.png"}]


def test_copied_context_is_told_and_says_that_it_is_copied() -> None:
    copied = {**ASK, "is_copied_context": True}

    assert of_type(parsed(run(copied, DONE)), "user.message")[0]["copied"] is True


def test_a_step_without_a_model_is_a_call_of_the_harness() -> None:
    lines = parsed(run(ASK, {**SEARCHES, "llm_call_count": 0, "message": ""}))

    assert of_type(lines, "tool.requested") == []
    assert of_type(lines, "resource.included")[0]["kind"] == "harness_call"
    assert "found" in of_type(lines, "resource.included")[0]["text"]


def test_a_bill_of_several_calls_is_cumulative() -> None:
    assert of_type(parsed(run(ASK, {**DONE, "llm_call_count": 3})), "usage.reported")[0]["quality"] == "cumulative"


def test_a_system_step_instructs_before_the_first_answer_and_compacts_when_it_says_so() -> None:
    note = step(5, "system", "Window is full.")
    compacts = step(
        6,
        "system",
        "Compacted.",
        observation=results({"content": "They searched."}),
        extra={"context_management": {"type": "compaction"}},
    )

    lines = parsed(run(SYSTEM, ASK, DONE, note, compacts))

    assert [one["text"] for one in of_type(lines, "instructions.loaded")] == ["Be brief."]
    assert of_type(lines, "resource.included")[0]["kind"] == "system_message"
    assert of_type(lines, "session.compacted")[0]["summary"] == "They searched."


def test_embedded_and_referred_sub_agents_are_sessions_with_a_parent() -> None:
    child = {"schema_version": "ATIF-v1.7", "trajectory_id": "kid", "agent": AGENT, "steps": [ASK, DONE]}
    embedded = parsed({**RUN, "trajectory_id": "top", "subagent_trajectories": [child]})
    result = {"source_call_id": "c1", "content": "x", "subagent_trajectory_ref": [{"session_id": "run-2"}]}
    parent = run(ASK, {**SEARCHES, "observation": results(result)})
    referred = parsed({"parent": parent, "child": {**run(ASK, DONE), "session_id": "run-2"}})

    assert {head.key: head.parent_key for line in embedded for head in line.heads} == {
        "atif:run-1:top": "", "atif:run-1:top/kid": "atif:run-1:top",
    }  # fmt: skip
    assert {head.key: head.parent_key for line in referred for head in line.heads}["atif:run-2"] == "atif:run-1"


def test_a_step_told_twice_is_folded() -> None:
    lines = parsed(run(ASK, ASK, DONE))

    assert outcomes(lines)[2] == ("folded", "duplicate")


def test_lines_of_trajectories_are_sessions_of_their_own() -> None:
    lines = read(to_lines(RUN, {**RUN, "session_id": "run-2"}), "/runs/all.jsonl", parse)

    assert outcomes(lines) == [("produced", "")] * 2
    assert len({one.session_key for one in events_of(lines)}) == 2


def test_a_longer_trajectory_begins_with_the_events_of_the_shorter() -> None:
    shorter, longer = events_of(parsed(run(SYSTEM, ASK, SEARCHES))), events_of(parsed(run(SYSTEM, ASK, SEARCHES, DONE)))

    assert longer[: len(shorter)] == shorter


def test_a_step_that_can_not_be_read_is_quarantined_by_its_place() -> None:
    lines = parsed(run(ASK, step(3, "robot", "x"), 5, {**SEARCHES, "tool_calls": [{}]}, DONE))

    assert [(line.reason, line.field) for line in lines] == [
        ("", ""), ("", ""), ("wrong_value", "steps[1].source"), ("wrong_type", "steps[2]"),
        ("missing_field", "steps[3].tool_calls[0].function_name"), ("", ""),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(120))
def test_mutated_trajectories_are_read_or_quarantined(seed: int) -> None:
    chance = random.Random(seed)
    child = {"schema_version": "ATIF-v1.7", "trajectory_id": "kid", "agent": AGENT, "steps": [ASK, DONE]}
    compacts = step(
        6, "system", "C", observation=results({"content": "s"}), extra={"context_management": {"type": "compaction"}}
    )
    value: Any = {**RUN, "steps": [*RUN["steps"], compacts], "subagent_trajectories": [child]}
    body = json.dumps(mutated(mutated(mutated(value, chance), chance), chance)).encode()

    try:
        lines = read(body, "/a.json", parse) + read(body + b"\n" + body, "/a.jsonl", parse)
    except UnfitFile:
        return
    recognise(body, "x")

    assert all(bool(line.reason) != bool(line.drafts) for line in lines)
    for one in events_of(lines):
        canonical.encode(one.payload)
