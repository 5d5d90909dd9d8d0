"""What a build that does not fit says: the guilty bucket, what is free elsewhere, and the price of each way out."""

from __future__ import annotations

from dataclasses import replace

from contextapp.engine.builder import build
from contextapp.engine.inputs import Overflow
from contextapp.engine.policy import Policy
from contextapp.engine.values import Verdict
from tests.engine.builder.worlds import CharCounter, Log, inputs_of


def overflow_of(log: Log, window: int, policy: Policy | None = None) -> Overflow:
    built = build(inputs_of(log.events, window=window), policy or Policy(), CharCounter())
    assert built.verdict == Verdict.OVERFLOW
    assert built.request is None
    assert built.request_sha256 == ""
    assert built.header["verdict"] == "context_overflow"
    assert built.overflow is not None
    return built.overflow


def ways_of(overflow: Overflow) -> dict[str, int]:
    return {way.action: way.tokens for way in overflow.ways_out}


def test_case_44_instructions_beyond_their_hard_limit_name_the_files_weakest_first() -> None:
    log = Log()
    log.add("instructions.loaded", level="directory", name="AGENTS.md", path="/work/AGENTS.md", text="strong " * 600)
    log.add("instructions.loaded", level="global", name="AGENTS.md", path="/home/AGENTS.md", text="weak " * 600)
    log.user("go")

    overflow = overflow_of(log, 4_000)

    assert (overflow.kind, overflow.bucket) == ("bucket_full", "instructions")
    assert overflow.sources == ("instruction:global:/home/AGENTS.md", "instruction:directory:/work/AGENTS.md")
    assert overflow.available_tokens == 1_600
    assert ways_of(overflow)["shorten_instructions"] == overflow.required_tokens - 1_600
    assert overflow.free_tokens > 0


def test_case_51_the_safety_policy_stays_in_the_ledger_of_a_build_that_does_not_fit() -> None:
    log = Log()
    log.user("word " * 5_000)

    built = build(inputs_of(log.events, window=1_000), Policy(), CharCounter())

    assert built.verdict == Verdict.OVERFLOW
    assert [row.source_id for row in built.ledger.included][0] == "safety:policy"


def test_a_message_larger_than_its_bucket_but_not_than_the_window_is_bucket_full() -> None:
    log = Log()
    log.user("word " * 2_600)  # 3,250 tokens in a bucket of 3,000

    overflow = overflow_of(log, 5_000)

    ways = ways_of(overflow)
    assert (overflow.kind, overflow.bucket) == ("bucket_full", "transcript")
    assert overflow.free_tokens > overflow.required_tokens - overflow.available_tokens
    assert ways["raise_bucket"] == ways["lend_unused"] == ways["shorten_message"]
    assert ways["larger_window"] > 5_000
    assert overflow.sources[0] == "event:1"


def test_lending_what_others_leave_free_makes_it_fit() -> None:
    log = Log()
    log.user("word " * 2_600)

    built = build(inputs_of(log.events, window=5_000), Policy(lend_unused=True), CharCounter())

    assert built.verdict == Verdict.OK


def test_the_larger_window_it_names_is_large_enough() -> None:
    log = Log()
    log.user("word " * 2_600)
    named = ways_of(overflow_of(log, 5_000))["larger_window"]

    built = build(inputs_of(log.events, window=named), Policy(), CharCounter())

    assert built.verdict == Verdict.OK


def test_case_42_a_message_larger_than_the_window_is_window_full_and_no_figure_is_negative() -> None:
    log = Log()
    log.user("word " * 9_000)

    overflow = overflow_of(log, 5_000)

    assert overflow.kind == "window_full"
    assert not {"raise_bucket", "lend_unused"} & ways_of(overflow).keys()
    assert min(overflow.free_tokens, overflow.available_tokens, *(way.tokens for way in overflow.ways_out)) >= 0


def test_case_49_the_floor_is_said_before_anything_is_compacted() -> None:
    log = Log()
    for number in range(30):
        log.call("bash", "x" * 4_000, command=f"step {number}")
    log.user("word " * 9_000)
    built = build(inputs_of(log.events, window=5_000), Policy(), CharCounter())

    overflow = built.overflow

    assert overflow is not None
    assert overflow.floor_tokens == built.ledger.floor_tokens > 5_000
    assert all(
        row.bucket != "transcript" or row.source_kind in ("user_message", "goal") for row in built.ledger.included
    )


def test_borrowing_is_one_of_the_ways_out_when_it_took_the_room() -> None:
    log = Log()
    log.add("instructions.loaded", level="project", name="AGENTS.md", path="/w/AGENTS.md", text="rule " * 1_400)
    log.user("word " * 1_800)

    overflow = overflow_of(log, 5_000)

    assert overflow.bucket == "transcript"
    assert 0 < ways_of(overflow)["shorten_instructions"] <= 1_750


def test_a_zero_reserve_asks_for_no_answer_limit() -> None:
    log = Log()
    log.user("go")
    inputs = inputs_of(log.events, window=5_000)

    built = build(replace(inputs, profile=replace(inputs.profile, output_limit_tokens=0)), Policy(), CharCounter())

    assert built.request is not None
    assert built.request.max_output_tokens == 0
