"""Cases A: calls and results stay together, whatever cuts between them."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest

from contextapp.engine.policy import Policy
from contextapp.engine.projection.fold import project
from contextapp.engine.projection.transcript import assemble
from contextapp.engine.request import anthropic, openai, responses
from contextapp.engine.values import Verdict
from tests.engine.builder.worlds import Log
from tests.engine.cases.scenes import answer, batch, built, compact, messages, outlined, row_of, rows_for, said

TIGHT = (300, 400, 500, 600, 800, 1_000, 1_400, 2_000, 4_000)


def _two_call_batch(size: int = 600) -> Log:
    log = Log()
    log.user("go")
    batch(log, "c1", "c2")
    answer(log, "c1", "y" * size)
    answer(log, "c2", "z" * size)
    log.user("and now?")
    log.say("done")
    return log


def _calls_in(lines: list[str]) -> list[set[str]]:
    return [set(line.split("+")[1].split(",")) for line in lines if "+" in line]


@pytest.mark.parametrize("window", TIGHT)
def test_a1_a_two_call_group_goes_or_stays_whole(window: int) -> None:
    made = built(_two_call_batch(), window=window)

    if made.verdict == Verdict.OK:
        lines = outlined(made)
        assert [line for line in lines if line.startswith("tool:")] in ([], ["tool:c1", "tool:c2"])
        assert _calls_in(lines) in ([], [{"c1", "c2"}])


@pytest.mark.parametrize("count", range(1, 8))
def test_a2_a_log_that_ends_inside_a_batch_has_every_call_answered(count: int) -> None:
    events = _two_call_batch().events[:count]

    lines = outlined(built(events))

    asked = set().union(*_calls_in(lines))
    assert {line.removeprefix("tool:") for line in lines if line.startswith("tool:")} == asked


@pytest.mark.parametrize("covered", range(1, 6))
def test_a4_a_result_that_arrives_after_a_compaction_finds_its_batch(covered: int) -> None:
    log = Log()
    log.user("go")
    batch(log, "a", "b")
    answer(log, "a", "first")
    log.add("turn.started")
    compact(log, covered)
    answer(log, "b", "second")

    made = built(log)

    if covered >= 3:
        assert outlined(made) == ["user", "user", "assistant+a,b", "tool:a", "tool:b", "user"]
    assert "second" in said(made) and "first" in said(made)


@pytest.mark.parametrize("covered", range(1, 9))
@pytest.mark.parametrize("size", [2, 3, 4])
def test_a5_a_boundary_inside_a_batch_never_leaves_a_result_without_its_call(size: int, covered: int) -> None:
    log = Log()
    log.user("go")
    names = [f"c{number}" for number in range(size)]
    batch(log, *names)
    for name in names:
        answer(log, name)
    compact(log, covered)
    log.user("next")

    atoms = assemble(log.events, project(log.events)).atoms

    built(log)
    groups = [atom for atom in atoms if atom.kind == "call_group"]
    assert [len(atom.messages) for atom in groups] in ([], [1 + size])
    assert bool(groups) == (covered < 1 + 2 * size)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ({"synthetic": True}, {}, "late"),
        ({}, {"synthetic": True}, "early"),
        ({}, {}, "early"),
        ({"pending": True}, {}, "late"),
    ],
)
def test_a8_of_two_results_one_is_sent_and_the_other_is_a_row(
    first: dict[str, bool], second: dict[str, bool], kept: str
) -> None:
    log = Log()
    log.user("go")
    batch(log, "c1")
    answer(log, "c1", "early", **first)
    answer(log, "c1", "late", **second)

    made = built(log)

    assert outlined(made) == ["user", "assistant+c1", "tool:c1", "user"]
    assert kept in messages(made)[3]["content"]
    other = row_of(made, "event:3" if kept == "late" else "event:4")
    assert other.reason == ("superseded" if first.get("pending") else "duplicate_result")


@pytest.mark.parametrize("covered", range(1, 6))
def test_a9_a_duplicate_on_the_other_side_of_a_compaction_is_no_orphan_and_no_crash(covered: int) -> None:
    log = Log()
    log.user("go")
    batch(log, "c1")
    answer(log, "c1", "first")
    log.say("seen")
    compact(log, covered)
    answer(log, "c1", "second")
    answer(log, "c1", "third")

    made = built(log)

    reasons = [row.reason for seq in (6, 7) for row in rows_for(made, seq)]
    assert set(reasons) == {"duplicate_result"}
    assert "second" not in said(made)


def test_a10_the_results_of_one_batch_stand_in_one_message_where_the_provider_has_no_tool_role() -> None:
    made = built(_two_call_batch())

    assert made.request is not None
    sent = anthropic.render(made.request)["messages"]
    holders = [message for message in sent if any(part["type"] == "tool_result" for part in message["content"])]
    assert len(holders) == 1
    assert [part["tool_use_id"] for part in holders[0]["content"] if part["type"] == "tool_result"] == ["c1", "c2"]


@pytest.mark.parametrize("decision", ["allowed", "denied"])
def test_a11_a_call_that_awaits_approval_outlives_a_compaction(decision: str) -> None:
    log = Log()
    log.user("publish it")
    batch(log, "push", command="git push")
    log.add("permission.requested", call_id="push", tool="bash")
    log.say("waiting for you")
    compact(log, 4)
    waiting = built(log)
    log.add("permission.resolved", call_id="push", decision=decision, reason="not on a Friday", by="person")
    if decision == "allowed":
        answer(log, "push", "pushed")

    resolved = built(log)

    assert "still waits for its approval" in next(m["content"] for m in messages(waiting) if m["role"] == "tool")
    expected = "pushed" if decision == "allowed" else "not on a Friday"
    assert expected in next(message["content"] for message in messages(resolved) if message["role"] == "tool")


def test_a12_a_pending_result_does_not_close_the_call_and_its_final_answer_is_no_orphan() -> None:
    log = Log()
    log.user("deploy")
    batch(log, "d1", name="deploy")
    answer(log, "d1", "started, pending", pending=True)
    log.say("it runs")
    compact(log, 4)
    waiting = built(log)
    answer(log, "d1", "deployed to three hosts")

    final = built(log)

    assert "tool:d1" in outlined(waiting) and "started, pending" in said(waiting)
    assert "tool:d1" in outlined(final) and "deployed to three hosts" in said(final)
    assert "summarized" in {row.reason for row in rows_for(final, 3)}


def test_a15_what_fits_is_sent_as_it_is() -> None:
    log = Log()
    contents = [f"output {number}\n" * 40 for number in range(12)]
    log.user("go")
    for number, content in enumerate(contents):
        log.call("bash", content, command=f"step {number}")

    made = built(log, window=200_000)

    assert made.ledger.excluded == ()
    assert {row.mode for row in made.ledger.included} == {"full"}
    assert all(content in said(made) for content in contents)


@pytest.mark.parametrize("window", TIGHT)
def test_a16_thinking_is_cut_with_the_calls_it_led_to(window: int) -> None:
    log = Log()
    log.user("go")
    for number in range(6):
        log.add("model.thinking", text=f"thought {number} " * 20, message_id=f"m{number}")
        batch(log, f"c{number}", message_id=f"m{number}")
        answer(log, f"c{number}", "y" * 300)

    made = built(log, Policy(keep_thinking=True), window=window)

    if made.request:
        blocks = made.request.blocks
        thinking = [block for block in blocks if "[thinking]" in block.text]
        assert all(block.calls and f"thought {block.calls[0][0][1:]} " in block.text for block in thinking)


def test_a18_a_call_cut_off_by_a_lost_stream_is_repaired_at_each_build_and_never_in_the_log() -> None:
    log = Log()
    log.user("go")
    log.add("model.delta", text="Let me lo", message_id="m1")
    batch(log, "lost", message_id="m1")
    log.user("are you there?")
    log.say("yes", "m2")
    before = deepcopy(log.events)

    first, again = built(log), built(log)
    log.user("go on")
    later = built(log)

    assert log.events[: len(before)] == before
    assert first == again
    assert {row.reason for row in (row_of(first, "call:3"), row_of(later, "call:3"))} == {"dead_call"}
    assert outlined(first) == ["user", "assistant", "user", "assistant", "user"]
    assert "Let me lo" in said(later)


@pytest.mark.parametrize("window", TIGHT)
def test_a19_a_budget_that_ends_between_call_and_result_keeps_neither_or_both(window: int) -> None:
    log = Log()
    log.user("write it")
    log.call("write_file", "ok", call_id="w1", path="a.py", text="z" * 4_000)
    log.say("written")

    made = built(log, window=window)

    if made.request:
        lines = outlined(made)
        assert ("assistant+w1" in lines) == ("tool:w1" in lines)


def test_a20_a_request_after_a_compaction_leans_on_nothing_the_provider_kept() -> None:
    log = _two_call_batch()
    batch(log, "c3")
    compact(log, 6)
    answer(log, "c3", "only here")

    made = built(log)

    assert made.request is not None
    bodies = [provider.render(made.request) for provider in (openai, responses, anthropic)]
    assert bodies[1]["store"] is False
    for body in bodies:
        assert not {"previous_response_id", "conversation", "item_reference"} & set(body)
        assert "only here" in json.dumps(body)
