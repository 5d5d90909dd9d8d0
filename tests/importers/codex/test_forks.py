"""Forks and sub-agents: the parent's history is known for what it is, and not stored a second time."""

from __future__ import annotations

import pytest

from tests.importers.codex.rollouts import (
    NEXT_TURN,
    OWN,
    OWN_TURN,
    PARENT,
    PARENT_TURN,
    Line,
    bill,
    call,
    context,
    ends,
    head,
    message,
    read_rollout,
    result,
    starts,
    thought,
)  # fmt: skip
from tests.importers.parsing import of_type, outcomes, types_of

SPAWNED = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
HISTORY: list[Line] = [
    starts(PARENT_TURN),
    message("<permissions instructions>\nAsk.", "developer"),
    context(turn=PARENT_TURN),
    message("Fix the parser"),
    thought(),
    call("p1"),
    bill(1000, 1000),
    result("p1"),
]
OWN_WORK: list[Line] = [
    starts(),
    context("gpt-5.4-mini"),
    message("Review it"),
    bill(1000, 1000),
    thought(),
    message("Fine.", "assistant"),
    bill(1400, 400),
    ends(),
]


@pytest.mark.parametrize("source", [SPAWNED, "cli"])
def test_the_history_of_the_parent_is_folded_and_the_own_work_is_not(source: object) -> None:
    lines = read_rollout(head(forked_from_id=PARENT, source=source), head(PARENT), *HISTORY, *OWN_WORK)

    assert [reason for _, reason in outcomes(lines)[1:10]] == ["replayed", "replayed", "", *["replayed"] * 6]
    assert [said["text"] for said in of_type(lines, "user.message")] == ["Review it"]
    assert [turn["native_id"] for turn in of_type(lines, "turn.started")] == [OWN_TURN]
    assert [usage["input_uncached"] for usage in of_type(lines, "usage.reported")] == [400]
    assert of_type(lines, "tool.requested") == of_type(lines, "tool.completed") == []


def test_instructions_of_the_history_hold_for_the_fork_too() -> None:
    lines = read_rollout(head(forked_from_id=PARENT), head(PARENT), *HISTORY, *OWN_WORK)

    assert [loaded["name"] for loaded in of_type(lines, "instructions.loaded")] == ["permissions instructions"]


def test_the_fork_knows_its_parent_and_keeps_its_own_name() -> None:
    lines = read_rollout(head(source=SPAWNED), *OWN_WORK)

    last = [told for parsed in lines for told in parsed.heads][-1]
    assert (last.key, last.parent_key) == (f"codex_cli:{OWN}", f"codex_cli:{PARENT}")
    assert (last.title, last.model) == ("Review it", "gpt-5.4-mini")
    assert of_type(lines, "session.created")[0]["parent_session"] == f"codex_cli:{PARENT}"


def test_a_sub_agent_that_starts_afresh_loses_nothing() -> None:
    lines = read_rollout(head(source=SPAWNED), *OWN_WORK)

    assert "replayed" not in [reason for _, reason in outcomes(lines)]
    assert len(of_type(lines, "usage.reported")) == 2


def test_a_parents_head_right_behind_the_own_one_makes_a_fork_without_a_word() -> None:
    lines = read_rollout(head(), head(PARENT), *HISTORY, *OWN_WORK)

    assert [said["text"] for said in of_type(lines, "user.message")] == ["Review it"]
    assert [told for parsed in lines for told in parsed.heads][-1].parent_key == f"codex_cli:{PARENT}"


def test_a_fork_of_a_fork_repeats_two_heads() -> None:
    elder = "018fffff-0000-7000-8000-000000000009"

    lines = read_rollout(head(forked_from_id=PARENT), head(PARENT), head(elder), *HISTORY, *OWN_WORK)

    assert outcomes(lines)[2] == ("folded", "replayed")
    assert len(of_type(lines, "user.message")) == 1


def test_before_turns_had_ids_the_first_pause_ends_the_history() -> None:
    history = [message("Fix the parser"), thought(), call("p1"), result("p1")]
    own = [message("Review it", at="10:00:07.000"), message("Fine.", "assistant", at="10:00:09.000")]

    lines = read_rollout(head(forked_from_id=PARENT), head(PARENT), *history, *own)

    assert [said["text"] for said in of_type(lines, "user.message")] == ["Review it"]
    assert len(of_type(lines, "model.message")) == 1


def test_another_sessions_head_later_in_a_file_hides_nothing() -> None:
    lines = read_rollout(head(), *OWN_WORK, head(PARENT), starts(NEXT_TURN), message("And now?"))

    assert outcomes(lines)[9] == ("folded", "other_session")
    assert [said["text"] for said in of_type(lines, "user.message")] == ["Review it", "And now?"]
    assert types_of(lines).count("turn.started") == 2
