"""Which event begins a model call."""

from __future__ import annotations

import pytest

from contextapp.engine.projection.calls import CallTracker, model_call_key
from contextapp.engine.projection.fold import project
from tests.engine.logs import Fact, call, delta, log, result, said, thought, user


def begins(*facts: Fact) -> list[int]:
    tracker = CallTracker()
    return [event.seq for event in log(*facts) if tracker.feed(event)]


@pytest.mark.parametrize(
    ("fact", "key"),
    [
        (said("hi", "m1"), "m1"),
        (delta("hi", "m1"), "m1"),
        (thought("hm", "m1"), "m1"),
        (call("a", message_id="m1"), "m1"),
        (said("hi"), None),
        (said("API Error", "m1", synthetic=True), None),
        (said("API Error", "m1", model="<synthetic>"), None),
        (user("hi", message_id="m1"), None),
        (result("a", message_id="m1"), None),
        (("usage.reported", {"message_id": "m1"}), None),
        (("model.message", {"message_id": ["m1"]}), None),
    ],
)
def test_the_key_is_the_message_id_of_what_a_model_said(fact: Fact, key: str | None) -> None:
    assert model_call_key(log(fact)[0]) == key


def test_parts_of_one_message_are_one_call_also_when_results_come_between() -> None:
    facts = (
        user("go"),
        thought("hm", "m1"),
        call("a", message_id="m1"),
        result("a"),
        call("b", message_id="m1"),
        result("b"),
    )

    assert begins(*facts, said("done", "m2")) == [2, 7]


def test_a_late_part_of_a_recent_call_begins_none() -> None:
    assert begins(said("x", "m1"), said("y", "m2"), said("z", "m1"), said("w", "m2")) == [1, 2]


def test_without_ids_a_call_ends_at_a_result_and_at_a_user_message() -> None:
    facts = (
        user("go"),
        delta("I "),
        delta("look"),
        call("a"),
        call("b"),
        result("a"),
        result("b"),
        said("done"),
        user("more"),
    )

    assert begins(*facts, said("yes")) == [2, 8, 10]


def test_an_id_that_follows_parts_without_one_names_their_call() -> None:
    assert begins(delta("I look"), call("a", message_id="m1"), call("b")) == [1]


def test_text_of_the_harness_is_no_call_and_ends_none() -> None:
    assert begins(delta("I "), said("API Error", synthetic=True), delta("look")) == [1]


def test_the_fold_counts_the_same_calls() -> None:
    facts = (user("go"), said("x", "m1"), call("a"), result("a"), delta("y"), delta("z"), user("more"), said("w", "m1"))

    state = project(log(*facts))

    assert state.step == len(begins(*facts)) == 2
    assert state.recent_message_ids == ("m1",)
