"""The recent tail: how many key events it holds, and what of it gives way first where not even that fits."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from contextapp.engine.builder import build
from contextapp.engine.errors import InvalidPolicy
from contextapp.engine.inputs import Built
from contextapp.engine.policy import Limits, Policy
from contextapp.engine.sources import transcript
from contextapp.engine.sources.source import RANK_OLDER
from tests.engine.builder.worlds import CharCounter, Log, inputs_of


def tail_sizes(log: Log, **limits: Any) -> int:
    """How many messages have a better rank than older history."""
    policy = Policy(limits=replace(Limits(), **limits))
    return sum(source.rank < RANK_OLDER for source in transcript.collect(inputs_of(log.events), policy))


def conversation(messages: int) -> Log:
    log = Log()
    for number in range(messages):
        log.user(f"question {number}")
    return log


def with_parallel_calls(count: int, then: int) -> Log:
    log = conversation(3)
    for number in range(count):
        log.add("tool.requested", call_id=f"p{number}", name="bash", input={"command": "ls"}, message_id="m")
    for number in range(count):
        log.add("tool.completed", call_id=f"p{number}", content="out")
    for number in range(then):
        log.user(f"after {number}")
    return log


def test_the_tail_holds_eight_key_events_unless_the_policy_says_otherwise() -> None:
    assert tail_sizes(conversation(20)) == 8
    assert tail_sizes(conversation(20), tail_key_events=11) == 11
    assert tail_sizes(conversation(3)) == 3


def test_an_atom_that_leads_beyond_twelve_stays_out_once_six_are_in() -> None:
    assert tail_sizes(with_parallel_calls(6, then=6)) == 6


def test_with_fewer_than_six_it_comes_in_whole_however_large() -> None:
    assert tail_sizes(with_parallel_calls(20, then=2)) == 2 + 21


@pytest.mark.parametrize("limits", [{"tail_key_events": 13}, {"tail_key_events": 5}, {"tail_key_events_min": -1}])
def test_limits_of_the_tail_that_contradict_each_other_are_refused(limits: dict[str, int]) -> None:
    with pytest.raises(InvalidPolicy, match="recent tail"):
        Policy(limits=replace(Limits(), **limits))


def crowded(window: int) -> Built:
    """A tail in which the user, a denial, tool noise and thinking compete, newest last."""
    log = Log()
    log.user("first " + "u" * 400)
    log.call("bash", None, call_id="c1", command="git push")
    log.add("permission.resolved", call_id="c1", decision="denied", reason="main is protected", by="person")
    log.add("model.thinking", text="t" * 1_200, message_id="only-thinking")
    log.call("bash", "n" * 400, command="make a")
    log.call("bash", "n" * 400, command="make b")
    log.user("now go on")
    built = build(inputs_of(log.events, window=window), Policy(keep_thinking=True), CharCounter())
    assert built.ledger.difference == 0
    return built


def left(built: Built) -> set[str]:
    """Which of the atoms that compete are still there."""
    names = {"event:3": "denial", "event:4": "thinking", "event:6": "noise"}
    return {names[row.source_id] for row in built.ledger.included if row.source_id in names}


def test_where_the_tail_fits_it_is_whole() -> None:
    built = crowded(20_000)

    tail = [row for row in built.ledger.included if row.reason in ("recent_tail", "user_message", "denial")]
    assert {row.mode for row in tail} == {"full"}
    assert left(built) == {"denial", "thinking", "noise"}


def test_thinking_goes_before_tool_noise_and_tool_noise_before_words_and_denials() -> None:
    found = [left(crowded(window)) for window in range(1_600, 400, -50)]

    stages = [found[0], *(later for sooner, later in pairwise(found) if sooner != later)]
    assert stages == [{"denial", "thinking", "noise"}, {"denial", "noise"}, {"denial"}, set()]


def test_an_older_answer_loses_its_thinking_first() -> None:
    log = Log()
    log.add("model.thinking", text="t" * 2_000, message_id="m0")
    log.say("the answer", message_id="m0")
    for number in range(28):
        log.call("bash", "n" * 1_600, command=f"make {number}")
    log.user("go on")

    built = build(inputs_of(log.events, window=20_000), Policy(keep_thinking=True), CharCounter())

    row = next(row for row in built.ledger.included if row.source_id == "event:1")
    assert (row.reason, row.mode, row.detail) == ("thinking_dropped", "excerpt", "without 2,000 characters of thinking")
