"""Turns: by their own events, or by prompts where a version writes none."""

from __future__ import annotations

from tests.importers.codex.rollouts import NEXT_TURN, OWN_TURN, ends, event, head, message, read_rollout, starts
from tests.importers.parsing import of_type, outcomes, types_of


def test_a_turn_has_the_id_that_codex_gave_it_and_steering_opens_no_other() -> None:
    lines = read_rollout(
        head(), starts(), message("Fix it"), message("On it.", "assistant"), message("And the tests"), ends()
    )

    assert [turn["native_id"] for turn in of_type(lines, "turn.started")] == [OWN_TURN]
    assert of_type(lines, "turn.completed") == [{"stop_reason": "end_turn", "duration_ms": 900}]


def test_before_turns_had_events_each_prompt_opens_one() -> None:
    lines = read_rollout(
        head(),
        message("Fix it"),
        message("please"),
        message("Done.", "assistant"),
        message("Thanks"),
        message("Welcome.", "assistant"),
    )

    assert types_of(lines)[1:] == [
        "turn.started", "user.message", "user.message", "model.message",
        "turn.completed", "turn.started", "user.message", "model.message",
    ]  # fmt: skip
    assert of_type(lines, "turn.completed") == [{"stop_reason": "next_prompt"}]


def test_a_prompt_before_the_start_of_its_turn_belongs_to_it() -> None:
    lines = read_rollout(head(), message("Fix it"), starts(), message("Done.", "assistant"), ends())

    assert types_of(lines).count("turn.started") == 1
    assert outcomes(lines)[2] == ("folded", "repeated")


def test_an_aborted_turn_ends_with_its_reason() -> None:
    lines = read_rollout(
        head(), starts(), message("Fix it"), event("turn_aborted", turn_id=OWN_TURN, reason="interrupted")
    )

    assert of_type(lines, "turn.completed") == [{"stop_reason": "interrupted"}]


def test_a_turn_that_nobody_ended_ends_with_the_next() -> None:
    lines = read_rollout(head(), starts(), message("Fix it"), starts(NEXT_TURN), message("Again"), ends(NEXT_TURN))

    assert [turn["stop_reason"] for turn in of_type(lines, "turn.completed")] == ["next_prompt", "end_turn"]


def test_the_end_of_a_turn_that_is_over_is_folded() -> None:
    lines = read_rollout(head(), starts(), ends(), ends())

    assert outcomes(lines)[3] == ("folded", "repeated")


def test_an_answer_without_a_prompt_opens_the_first_turn() -> None:
    lines = read_rollout(head(), message("Hello.", "assistant"))

    assert types_of(lines)[1:] == ["turn.started", "model.message"]


def test_errors_are_for_people_and_said_by_no_model() -> None:
    lines = read_rollout(head(), event("error", message="stream closed"), event("error", error={"message": "limit"}))

    drafts = [draft for parsed in lines[1:] for draft in parsed.drafts]
    assert [(draft.payload["text"], draft.payload["synthetic"], draft.visibility) for draft in drafts] == [
        ("stream closed", True, "ui"),
        ("limit", True, "ui"),
    ]
