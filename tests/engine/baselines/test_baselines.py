"""The naive ways to fill a window: what each keeps, that its ledger adds up, and that it never breaks what holds for all."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextapp.engine.builder import build
from contextapp.engine.errors import InvalidPolicy
from contextapp.engine.events import Event
from contextapp.engine.inputs import Built
from contextapp.engine.observations.text import clean
from contextapp.engine.policy import Policy
from contextapp.engine.request import openai
from contextapp.engine.sources.reach import tail_weight
from contextapp.engine.values import Verdict
from tests.engine.builder.streams import logs
from tests.engine.builder.worlds import CharCounter, Log, inputs_of, remembered

EXAMPLES = int(os.environ.get("ENGINE_EXAMPLES", "8"))
BASELINES = ("identity", "last_n", "sliding_window")


def session(calls: int = 20) -> Log:
    log = Log()
    log.add("constraint.added", id="k", text="never push")
    log.user("fix the payment timeout")
    for number in range(calls):
        log.call("bash", f"line of output {number}\n" * 40, command=f"make {number}")
    return log


def built(log: Log, baseline: str, window: int = 200_000, **fields: int) -> Built:
    memory = [remembered("mem_a@1", "payment timeout is 30 s")]
    policy = Policy(baseline=baseline, **fields)  # type: ignore[arg-type]
    made = build(inputs_of(log.events, window=window, memory=memory), policy, CharCounter())
    assert made.ledger.difference == 0
    assert made.request is None or openai.validate(openai.render(made.request)) == ()
    return made


def messages(made: Built) -> list[int]:
    return [
        row.events[0] for row in made.ledger.included if row.source_kind.endswith(("message", "result")) and row.events
    ]


def test_identity_keeps_everything_as_long_as_it_is() -> None:
    log = session()
    log.call("read_file", "a line of a long file\n" * 2_000, path="long.py")

    made = built(log, "identity")

    assert {row.mode for row in made.ledger.included} == {"full"}
    assert made.ledger.excluded == ()
    assert len(messages(made)) == 1 + 2 * 21


def test_identity_beyond_the_window_is_a_verdict_with_the_window_that_would_do() -> None:
    log = session(60)

    made = built(log, "identity", window=8_000)

    assert (made.verdict, made.request) == (Verdict.OVERFLOW, None)
    assert made.overflow is not None
    assert (made.overflow.kind, [way.action for way in made.overflow.ways_out]) == ("window_full", ["larger_window"])
    assert built(log, "identity", window=made.overflow.ways_out[0].tokens).verdict == Verdict.OK


def test_last_n_keeps_the_newest_messages_and_parts_no_call_from_its_result() -> None:
    made = built(session(), "last_n", baseline_messages=6)

    # The user's message is the newest one and floor, so five are left: two atoms of two.
    assert messages(made) == [2, 39, 40, 41, 42]
    (row,) = [row for row in made.ledger.excluded if row.source_kind != "tool"]
    assert (row.reason, row.count, row.events) == ("baseline_cut", 36, (3, 38))


def test_a_sliding_window_keeps_the_newest_tokens() -> None:
    made = built(session(), "sliding_window", baseline_tokens=2_000)

    kept = [row for row in made.ledger.included if row.bucket == "transcript" and row.source_kind.endswith("result")]
    assert 0 < sum(row.after_tokens for row in kept) <= 2_000
    assert messages(made)[-1] == 42
    assert {row.reason for row in made.ledger.excluded} == {"baseline_cut"}


def test_a_sliding_window_without_a_number_takes_what_the_window_leaves() -> None:
    made = built(session(60), "sliding_window", window=8_000)

    assert made.verdict == Verdict.OK
    assert 7_000 < made.ledger.total_tokens <= 8_000


@pytest.mark.parametrize("baseline", BASELINES)
def test_gates_hold_in_baselines_too(baseline: str) -> None:
    log = session(2)
    log.add("resource.included", id="r", text="x", by="harness")
    log.add("tool.completed", call_id="nobody", content="orphan")

    made = built(log, baseline)

    assert {row.reason for row in made.ledger.excluded} >= {"not_included", "orphan_result"}


@pytest.mark.parametrize(
    "fields",
    [{"baseline": "best"}, {"baseline_messages": 0}, {"baseline_tokens": -1}],
    ids=lambda fields: next(iter(fields)),
)
def test_impossible_baselines_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidPolicy, match="baseline"):
        Policy(**fields)  # type: ignore[arg-type]


@given(logs(most=30), st.sampled_from(BASELINES), st.sampled_from([60, 1_500, 20_000]))
@settings(max_examples=EXAMPLES, deadline=None)
def test_what_holds_for_every_request_holds_for_baselines(events: list[Event], baseline: str, window: int) -> None:
    inputs = inputs_of(events, window=window)
    policy = Policy(baseline=baseline, baseline_messages=3)

    made = build(inputs, policy, CharCounter())
    short = build(inputs_of(events, window=window, tail=tail_weight(window, policy)), policy, CharCounter())

    assert made.ledger.difference == 0
    assert (made.ledger.total_tokens <= window) == (made.verdict == Verdict.OK)
    assert short.ledger == made.ledger
    if made.request:
        text = "\n".join(block.text for block in made.request.blocks)
        assert openai.validate(openai.render(made.request)) == ()
        assert all(clean(item.text) in text for item in inputs.state.constraints if item.confirmed)
