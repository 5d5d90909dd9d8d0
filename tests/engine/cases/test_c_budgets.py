"""Cases C: budgets that never go negative, floors that are named, and single items larger than everything."""

from __future__ import annotations

import pytest

from contextapp.engine.policy import DEFAULT_RATIOS, Limits, Policy
from contextapp.engine.request import openai
from contextapp.engine.sources.reach import tail_weight
from contextapp.engine.values import Bucket, Verdict
from tests.engine.builder.worlds import Log, remembered
from tests.engine.cases.scenes import answer, batch, built, compact, messages, outlined, row_of, said


def _session(calls: int = 30, size: int = 2_000) -> Log:
    log = Log()
    log.user("go")
    for number in range(calls):
        log.call("bash", "x" * size, command=f"step {number}")
    return log


@pytest.mark.parametrize("window", [1, 2, 9, 25, 60, 100, 160, 250, 400, 700])
@pytest.mark.parametrize("factor", [1.0, 3.0])
def test_c42_no_budget_is_ever_negative(window: int, factor: float) -> None:
    made = built(_session(), window=window, factor=factor)

    figures = [figure for bucket in made.ledger.buckets.values() for figure in bucket.values()]
    assert min(figures) >= 0
    if made.request:
        assert openai.render(made.request).get("max_completion_tokens", 1) > 0
    else:
        overflow = made.overflow
        assert overflow is not None and overflow.required_tokens > overflow.available_tokens >= 0
        assert min(way.tokens for way in overflow.ways_out) > 0


def test_c43_a_full_window_leaves_the_answer_as_much_as_an_empty_one() -> None:
    empty, full = built(_session(0), window=20_000), built(_session(200), window=20_000)

    assert empty.request is not None and full.request is not None
    assert full.request.max_output_tokens == empty.request.max_output_tokens == 2_000


@pytest.mark.parametrize("window", [100, 1_000, 8_000])
def test_c44_rules_larger_than_the_window_are_refused_and_named(window: int) -> None:
    log = Log()
    log.add(
        "instructions.loaded", level="project", name="AGENTS.md", path="/work/shop/AGENTS.md", text="Use tabs. " * 1_200
    )
    log.add("instructions.loaded", level="global", name="AGENTS.md", path="/etc/AGENTS.md", text="Use spaces. " * 900)
    log.user("go")

    made = built(log, window=window)

    assert made.verdict == Verdict.OVERFLOW and made.request is None
    assert made.overflow is not None
    assert made.overflow.bucket == "instructions"
    assert made.overflow.sources == ("instruction:global:/etc/AGENTS.md", "instruction:project:/work/shop/AGENTS.md")
    assert made.overflow.floor_tokens >= made.overflow.required_tokens
    assert row_of(made, "event:3").is_included


def test_c44_a_message_larger_than_the_window_is_refused_and_named() -> None:
    log = Log()
    log.user("read this: " + "x" * 60_000)

    made = built(log, window=8_000)

    assert made.request is None
    assert made.overflow is not None
    assert made.overflow.sources[0] == "event:1"
    assert "shorten_message" in {way.action for way in made.overflow.ways_out}


@pytest.mark.parametrize("tool", ["bash", "read_file", "grep", "ls", "webfetch", "mcp__logs__fetch"])
@pytest.mark.parametrize("shape", ["lines", "one line", "cjk"])
def test_c47_a_log_larger_than_the_window_is_cut_when_it_comes_in(tool: str, shape: str) -> None:
    content = {"lines": "2026-03-01 12:00:00 ok\n" * 40_000, "one line": "x" * 900_000, "cjk": "日志" * 300_000}[shape]
    log = Log()
    log.user("why?")
    log.call(tool, content, command="cat app.log", path="app.log")

    made = built(log, window=16_000)

    row = row_of(made, "event:3")
    assert row.is_included and row.after_tokens <= Limits().result_tokens
    assert row.before_tokens > 100_000
    assert "shown" in row.detail


@pytest.mark.parametrize("count", [1, 2, 5])
def test_c49_a_floor_that_never_fits_is_told_at_once_however_often_it_is_compacted(count: int) -> None:
    log = Log()
    log.add(
        "instructions.loaded", level="project", name="AGENTS.md", path="/work/shop/AGENTS.md", text="Use tabs. " * 1_200
    )
    log.user("go")
    for _ in range(count):
        log.call("bash", "x" * 4_000, command="y")
        compact(log, len(log.events), "It was done. " * 200)

    made = built(log, window=6_000)

    assert made.overflow is not None
    assert made.overflow.bucket == "instructions"
    assert made.overflow.required_tokens > made.overflow.available_tokens


@pytest.mark.parametrize("size", [2_000, 20_000, 200_000])
def test_c49_a_summary_too_large_for_its_share_gives_way_and_the_turn_goes_on(size: int) -> None:
    log = _session(4)
    compact(log, len(log.events), "s" * size)
    log.user("go on")

    made = built(log, window=4_000)

    assert made.verdict == Verdict.OK
    assert "user" in outlined(made)


@pytest.mark.parametrize("layout", ["cache_first", "layered", "attention_first"])
@pytest.mark.parametrize("window", [100, 300, 600, 1_200, 4_000])
def test_c51_the_safety_policy_is_never_what_gives_way(window: int, layout: str) -> None:
    log = _session(10)
    log.user("and " + "x" * 1_000)

    made = built(log, Policy(layout=layout), window=window)

    assert row_of(made, "safety:policy").is_included
    if made.request:
        assert made.request.blocks[0].part == "safety"
        assert messages(made)[0]["content"].startswith(Policy().safety_text)


def test_c53_every_call_of_a_long_tool_loop_fits_not_only_the_first_of_its_turn() -> None:
    log = Log()
    log.user("fix everything")
    checked = 0
    for number in range(30):
        log.call("bash", f"{number} " + "x" * 1_500, command=f"step {number}")
        made = built(log, window=5_000)

        assert made.verdict == Verdict.OK
        assert f"{number} xxx" in said(made)
        checked += 1
    assert checked == 30


@pytest.mark.parametrize("count", [2, 8, 20, 60])
def test_c54_parallel_results_that_are_small_alone_and_large_together_fit(count: int) -> None:
    log = Log()
    log.user("read all")
    names = [f"c{number}" for number in range(count)]
    batch(log, *names, name="webfetch")
    for name in names:
        answer(log, name, f"{name} " + "x" * 15_000)

    made = built(log, window=16_000)

    assert made.verdict == Verdict.OK
    lines = outlined(made)
    assert [line for line in lines if line.startswith("tool:")] == [f"tool:{name}" for name in names]
    assert built(log, window=16_000, tail=tail_weight(16_000, Policy())).request == made.request


@pytest.mark.parametrize("bucket", [Bucket.MEMORY, Bucket.TOOL_SCHEMAS, Bucket.MCP_RESOURCES])
def test_c42_a_bucket_of_nothing_lets_nothing_in_and_breaks_nothing(bucket: Bucket) -> None:
    ratios = dict(DEFAULT_RATIOS)
    ratios[Bucket.TRANSCRIPT] += ratios[bucket]
    ratios[bucket] = 0
    log = Log()
    log.add("tools.available", tools=[{"name": "bash", "description": "Runs it.", "schema": {}}])
    log.add("resource.included", id="r1", text="resource", by="user")
    log.user("go")

    made = built(log, Policy(ratios=ratios), memory=[remembered("mem_a@1", "a hint", kind="constraint")])

    assert made.verdict == Verdict.OK
    assert made.ledger.buckets[bucket]["used"] == 0
    assert "bucket_budget" in {row.reason for row in made.ledger.excluded if row.bucket == bucket}
