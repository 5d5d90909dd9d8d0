"""Bills: one per call, by totals that differ, whatever the counter does."""

from __future__ import annotations

from tests.importers.codex.rollouts import (
    bill,
    call,
    context,
    event,
    head,
    message,
    read_rollout,
    result,
    starts,
    thought,
)
from tests.importers.parsing import of_type, outcomes


def test_input_is_split_into_cached_and_not_and_output_holds_the_reasoning() -> None:
    lines = read_rollout(
        head(), context(), thought(), call("c1"), bill(900, 900, cached=600, written=100, output=40, reasoning=30)
    )

    assert of_type(lines, "usage.reported") == [
        {
            "message_id": "call-1",
            "model": "gpt-5.4",
            "input_uncached": 200,
            "cache_read": 600,
            "cache_write": 100,
            "output": 40,
            "reasoning": 30,
            "quality": "exact",
        }
    ]


def test_a_row_whose_total_stands_still_is_no_call() -> None:
    lines = read_rollout(head(), thought(), bill(900, 900), bill(900, 450), event("token_count", info=None))

    assert [reason for _, reason in outcomes(lines)] == ["", "", "", "repeated_usage", "rate_limits"]


def test_a_counter_that_starts_over_loses_nothing() -> None:
    lines = read_rollout(
        head(),
        thought(),
        bill(900, 900),
        message("on"),
        thought(),
        bill(1900, 1000),
        message("on"),
        thought(),
        bill(50, 50),
    )

    found = of_type(lines, "usage.reported")
    assert [usage["input_uncached"] for usage in found] == [900, 1000, 50]
    assert [usage["message_id"] for usage in found] == ["call-1", "call-2", "call-3"]


def test_a_row_that_an_earlier_one_said_word_for_word_is_no_call() -> None:
    lines = read_rollout(head(), thought(), bill(900, 900), message("on"), thought(), bill(50, 50), bill(900, 900))

    assert len(of_type(lines, "usage.reported")) == 2


def test_results_stand_before_or_after_the_bill_of_their_call() -> None:
    lines = read_rollout(
        head(),
        thought(), call("c1"), result("c1"), bill(100, 100),
        thought(), call("c2"), bill(300, 200), result("c2"),
        thought(), call("c3"), result("c3"), call("c4"), result("c4"), bill(600, 300),
    )  # fmt: skip

    asked = {found["call_id"]: found["message_id"] for found in of_type(lines, "tool.requested")}
    paid = {found["message_id"]: found["input_uncached"] for found in of_type(lines, "usage.reported")}
    assert asked == {"c1": "call-1", "c2": "call-2", "c3": "call-3", "c4": "call-3"}
    assert paid == {"call-1": 100, "call-2": 200, "call-3": 300}


def test_old_versions_bill_before_they_tell_the_answer() -> None:
    lines = read_rollout(
        head(), message("Fix it"),
        bill(100, 100), thought(), call("c1"), result("c1"),
        bill(300, 200), call("c2"), result("c2"),
        bill(600, 300), message("Done.", "assistant"),
    )  # fmt: skip

    asked = {found["call_id"]: found["message_id"] for found in of_type(lines, "tool.requested")}
    paid = {found["message_id"]: found["input_uncached"] for found in of_type(lines, "usage.reported")}
    assert asked == {"c1": "call-1", "c2": "call-2"}
    assert of_type(lines, "model.message")[0]["message_id"] == "call-3"
    assert paid == {"call-1": 100, "call-2": 200, "call-3": 300}


def test_a_bill_for_a_call_that_left_nothing_is_given_to_no_other() -> None:
    lines = read_rollout(
        head(), starts(), thought(), bill(100, 100), bill(300, 200), message("on"), thought(), bill(600, 300)
    )

    found = {usage["message_id"]: usage["input_uncached"] for usage in of_type(lines, "usage.reported")}
    assert found == {"call-1": 100, "call-1-without-parts-1": 200, "call-2": 300}


def test_without_bills_a_result_ends_a_call() -> None:
    lines = read_rollout(head(), call("c1"), result("c1"), call("c2"), result("c2"))

    assert [found["message_id"] for found in of_type(lines, "tool.requested")] == ["call-1", "call-2"]


def test_a_running_sum_alone_is_marked_as_one() -> None:
    total = {"input_tokens": 900, "cached_input_tokens": 600, "output_tokens": 40}

    lines = read_rollout(
        head(), thought(), event("token_count", info={"total_token_usage": total}), event("turn.completed", usage=total)
    )

    found = of_type(lines, "usage.reported")
    assert [(usage["quality"], usage["input_uncached"], usage["cache_read"]) for usage in found] == [
        ("cumulative", 300, 600)
    ] * 2
