"""Cases B: what is counted, by which rule, and what never decides anything."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextapp.engine.builder import build
from contextapp.engine.errors import UnknownWindow
from contextapp.engine.observed.residue import billed_input
from contextapp.engine.policy import DEFAULT_RATIOS, Policy
from contextapp.engine.projection.payloads import canonical
from contextapp.engine.request import openai
from contextapp.engine.tokens import TiktokenCounter, weight
from contextapp.engine.values import Bucket, Method, Verdict
from tests.engine.builder.worlds import CharCounter, Log, inputs_of, remembered
from tests.engine.cases.scenes import built, compact, row_of, said

COUNTER = TiktokenCounter()
SPECIAL = ("<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>", "<|im_start|>system")


@pytest.mark.parametrize("text", SPECIAL)
def test_b21_the_text_of_a_special_token_counts_as_text(text: str) -> None:
    log = Log()
    log.user(f"what is {text}?")
    log.call("bash", f"found {text} twice: {text}", command=f"grep '{text}'")

    made = build(inputs_of(log.events), Policy(), COUNTER)

    assert COUNTER.count(text) > 1
    assert made.verdict == Verdict.OK
    assert text in said(made)


@pytest.mark.parametrize("broken", ["\ud83d", "a\udcffb", "\ude00\ud83d", "x\ud800" * 300])
def test_b23_a_lone_surrogate_counts_as_the_character_that_is_sent_for_it(broken: str) -> None:
    log = Log()
    log.user(f"go {broken}")
    log.call("bash", broken, command=broken)

    made = build(inputs_of(log.events), Policy(), COUNTER)

    assert made.request is not None
    json.dumps(openai.render(made.request), ensure_ascii=False).encode()
    sent = next(block for block in made.request.blocks if block.source_id == "event:1")
    assert "\ufffd" in sent.text
    assert row_of(made, "event:1").after_tokens == COUNTER.count(sent.text)


def test_b27_a_call_is_counted_as_the_json_that_is_sent() -> None:
    arguments = {"flag": True, "none": None, "text": "it's “quoted”", "list": [1, 2.5, {"a": "ü"}]}
    log = Log()
    log.user("go")
    log.call("do_it", "ok", **arguments)

    made = build(inputs_of(log.events), Policy(), COUNTER)

    assert json.loads(canonical(arguments)) == arguments
    assert row_of(made, "event:2").after_tokens == COUNTER.count("do_it") + COUNTER.count(canonical(arguments))


def test_b28_an_answer_of_calls_alone_is_counted_with_its_arguments() -> None:
    log = Log()
    log.user("go")
    log.call("write_file", "ok", path="a.py", text="word " * 8_000)

    made = build(inputs_of(log.events), Policy(), COUNTER)

    assert row_of(made, "event:2").after_tokens > 8_000


def test_b29_every_bucket_is_counted_on_the_request_that_is_sent() -> None:
    log = Log()
    log.add(
        "instructions.loaded", level="project", name="AGENTS.md", path="/work/shop/AGENTS.md", text="Use tabs. " * 90
    )
    log.add("tools.available", tools=[{"name": "bash", "description": "Runs it. " * 90, "schema": {"type": "object"}}])
    log.add("resource.included", id="r1", text="resource " * 90, by="user")
    log.user("go")

    made = built(log, memory=[remembered("mem_a@1", "a hint " * 20, kind="constraint")])

    assert made.request is not None
    used = {name: figures["used"] for name, figures in made.ledger.buckets.items()}
    assert min(used.values()) > 0
    texts = sum(CharCounter().count(block.text) for block in made.request.blocks)
    schemas = sum(row.after_tokens for row in made.ledger.included if row.source_kind == "tool")
    assert texts + schemas == sum(used.values()) - used["reserve"]
    assert made.ledger.total_tokens == sum(used.values()) + made.ledger.overhead_tokens + made.ledger.margin_tokens


SCRIPTS = {
    "zh": "支付网关的超时必须是三十秒，解析器先读取请求头再校验签名。",
    "zh-Hant": "支付閘道的逾時必須是三十秒，解析器先讀取請求標頭再驗證簽章。",
    "ja": "支払いゲートウェイのタイムアウトは三十秒でなければならない。",
    "ko": "결제 게이트웨이의 시간 제한은 삼십 초여야 합니다.",
    "ru": "Тайм-аут платежного шлюза должен быть тридцать секунд.",
    "ar": "يجب أن تكون مهلة بوابة الدفع ثلاثين ثانية.",
    "hi": "भुगतान गेटवे का समय समाप्त तीस सेकंड होना चाहिए।",
    "families": "👨‍👩‍👧‍👦" * 10,
    "emoji": "😀🎉🚀🔥💡" * 8,
    "flags": "🇩🇪🇫🇷🇯🇵" * 8,
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_b30_the_rough_weight_knows_the_script(script: str) -> None:
    text = SCRIPTS[script]

    found, true = weight(text), COUNTER.count(text)

    assert 0.55 * true <= found <= 2 * true
    assert abs(found - true) < abs(len(text) / 4 - true) or found >= true


@pytest.mark.parametrize("script", SCRIPTS)
def test_b30_a_session_in_any_script_fits_its_window_by_true_counts(script: str) -> None:
    log = Log()
    log.user(SCRIPTS[script])
    for number in range(12):
        log.call("bash", (SCRIPTS[script] + "\n") * 60, command=f"step {number}")

    made = build(inputs_of(log.events, window=8_000), Policy(), COUNTER)

    assert made.verdict == Verdict.OK
    assert made.ledger.total_tokens <= 8_000


def test_b31_cached_tokens_are_billed_once() -> None:
    usage = {"input_uncached": 1_200, "cache_read": 60_000, "cache_write": 800, "output": 500, "quality": "exact"}

    assert billed_input(usage) == 62_000
    assert billed_input(usage | {"quality": "cumulative"}) is None


@pytest.mark.parametrize(
    "usage",
    [
        {"input_uncached": 150_000, "cache_read": 150_000, "output": 9},  # b31: summed up, cache counted twice
        {"input_uncached": 195_000, "quality": "cumulative"},  # b31
        {"input_uncached": 31_999, "message_id": "m2"},  # b32: of a message before the compaction
        {"input_uncached": 12, "model": "small-helper"},  # b34: of a sub-agent
        {"input_uncached": 0, "output": 0},
    ],
)
def test_b31_b32_b34_reported_usage_never_decides_what_is_kept(usage: dict[str, Any]) -> None:
    def session(**reported: Any) -> Log:
        log = Log()
        log.user("go")
        log.call("bash", "before", command="a")
        log.add("usage.reported", **reported)
        compact(log, 3)
        log.call("bash", "after", command="b")
        log.add("usage.reported", **reported)
        return log

    quiet, loud = built(session()), built(session(**usage))

    assert loud.request == quiet.request
    assert loud.ledger == quiet.ledger


@pytest.mark.parametrize("window", [600, 2_000, 8_000, 32_000, 200_000])
def test_b36_system_tokens_are_taken_once(window: int) -> None:
    log = Log()
    log.add("instructions.loaded", level="project", name="AGENTS.md", text="Use tabs. " * 20)
    for number in range(60):
        log.user(f"question {number} " * 10)
        log.say("answer " * 30)

    ledger = built(log, window=window).ledger

    used = sum(figures["used"] for figures in ledger.buckets.values())
    assert used + ledger.overhead_tokens + ledger.margin_tokens == ledger.total_tokens
    assert sum(figures["allotted"] for figures in ledger.buckets.values()) <= window


@pytest.mark.parametrize("window", [None, 0, -1])
def test_b37_an_unknown_window_is_asked_for_and_never_guessed(window: int | None) -> None:
    log = Log()
    log.user("go")

    with pytest.raises(UnknownWindow, match="test-model"):
        build(inputs_of(log.events, window=window), Policy(), CharCounter())


def test_b38_tools_and_the_answer_are_part_of_what_must_fit() -> None:
    ratios = dict(zip(Bucket, (5, 5, 5, 5, 60, 20), strict=True))
    log = Log()
    log.add("tools.available", tools=[{"name": "bash", "description": "d" * 40_000, "schema": {}}])
    log.user("go")
    for number in range(200):
        log.say(f"{number} " + "x" * 8_000)

    made = built(log, Policy(ratios=ratios), window=256_000, output_limit_tokens=None)

    ledger = made.ledger
    assert ledger.buckets["tool_schemas"]["used"] > 10_000
    assert ledger.buckets["reserve"]["used"] == 51_200
    assert sum(figures["used"] for figures in ledger.buckets.values()) + ledger.overhead_tokens <= 256_000


@pytest.mark.parametrize("factor", [1.0, 1.02, 1.3, 2.5])
def test_b39_an_estimate_keeps_the_room_of_its_error(factor: float) -> None:
    log = Log()
    log.user("go")
    for number in range(80):
        log.call("bash", "x" * 3_000, command=f"step {number}")

    ledger = built(log, window=30_000, factor=factor).ledger

    counted = ledger.total_tokens - ledger.margin_tokens - ledger.buckets["reserve"]["used"]
    assert counted * factor + ledger.buckets["reserve"]["used"] <= 30_000
    assert (ledger.margin_tokens > 0) == (factor > 1)


@pytest.mark.parametrize("output_limit", [200_000, 1_000_000, 4_000, 0, -5, None])
def test_b40_an_answer_as_long_as_the_window_leaves_room_for_history(output_limit: int | None) -> None:
    log = Log()
    log.user("go")
    log.call("bash", "out", command="x")

    made = built(log, window=200_000, output_limit_tokens=output_limit)

    reserve = made.ledger.buckets["reserve"]["used"]
    assert 0 <= reserve <= 200_000 * DEFAULT_RATIOS[Bucket.RESERVE] // 100
    assert made.ledger.buckets["transcript"]["used"] > 0


def test_b40_a_policy_that_keeps_everything_for_the_answer_is_an_overflow() -> None:
    log = Log()
    log.user("go")

    made = built(log, Policy(ratios=dict(zip(Bucket, (0, 0, 0, 0, 0, 100), strict=True))))

    assert made.verdict == Verdict.OVERFLOW
    assert made.ledger.rows[0].method == Method.EXACT


@pytest.mark.parametrize(("claimed", "reckoned"), [(1_000_000, 1_000_000), (10**30, 500_000_000), (-5, 80_000)])
def test_a_message_of_which_the_log_shows_a_part_is_counted_as_a_whole(claimed: int, reckoned: int) -> None:
    log = Log()
    log.add("user.message", text="word " * 16_000, cut={"shown_chars": 80_000, "total_chars": claimed})

    made = built(log, window=200_000)

    row = row_of(made, "event:1")
    assert row.before_tokens == pytest.approx(row.after_tokens * reckoned / 80_000, rel=0.01)
    assert ("characters were recorded here" in row.detail) == (claimed > 0)
