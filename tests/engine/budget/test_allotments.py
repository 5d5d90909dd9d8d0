from __future__ import annotations

from dataclasses import replace

import pytest

from contextapp.engine import budget
from contextapp.engine.errors import UnknownWindow
from contextapp.engine.inputs import ModelProfile
from contextapp.engine.policy import DEFAULT_RATIOS, Policy
from contextapp.engine.values import Bucket

PROFILE = ModelProfile("m", 100_000, output_limit_tokens=64_000)


def test_ratios_are_percent_of_the_window() -> None:
    allotments = budget.allot(Policy(), PROFILE)

    assert allotments.allotted == {
        Bucket.INSTRUCTIONS: 8_000,
        Bucket.MEMORY: 5_000,
        Bucket.TOOL_SCHEMAS: 10_000,
        Bucket.MCP_RESOURCES: 7_000,
        Bucket.TRANSCRIPT: 60_000,
        Bucket.RESERVE: 10_000,
    }
    assert allotments.reserve == 10_000


@pytest.mark.parametrize("case", ["case_38", "case_40"])
def test_the_reserve_never_exceeds_what_the_model_can_answer(case: str) -> None:
    limit, expected = {"case_38": (3_000, 3_000), "case_40": (200_000, 10_000)}[case]

    allotments = budget.allot(Policy(), replace(PROFILE, output_limit_tokens=limit))

    assert allotments.reserve == expected


@pytest.mark.parametrize("window", [None, 0, -5])
def test_case_37_an_unknown_window_is_an_error_and_never_a_guess(window: int | None) -> None:
    profile = ModelProfile("mystery-1", window)

    with pytest.raises(UnknownWindow, match="mystery-1"):
        budget.allot(Policy(), profile)


def test_an_estimated_tokenizer_leaves_room_for_its_margin() -> None:
    allotments = budget.allot(Policy(), replace(PROFILE, factor=1.25))

    counted = sum(limit for bucket, limit in allotments.limits.items() if bucket != Bucket.RESERVE)

    assert allotments.limits[Bucket.TRANSCRIPT] == 48_000
    assert counted + allotments.margin(counted) <= 90_000
    assert allotments.margin(1_001) == 251


def test_a_factor_below_one_earns_nothing() -> None:
    allotments = budget.allot(Policy(), replace(PROFILE, factor=0.8))

    assert allotments.limits[Bucket.MEMORY] == 5_000
    assert allotments.margin(1_000) == 0


def test_instructions_borrow_only_what_exceeds_their_bucket() -> None:
    allotments = budget.allot(Policy(), PROFILE)

    assert budget.borrowed(7_999, allotments) == 0
    assert budget.borrowed(8_000, allotments) == 0
    assert budget.borrowed(8_001, allotments) == 1
    assert allotments.instructions_hard == 40_000


def test_unused_counts_free_limits_and_the_clamped_reserve() -> None:
    allotments = budget.allot(Policy(), replace(PROFILE, output_limit_tokens=4_000))

    free = budget.unused({Bucket.MEMORY: 1_000, Bucket.TOOL_SCHEMAS: 12_000}, allotments)

    assert free == 4_000 + 0 + 6_000


def test_a_bucket_of_nothing_holds_nothing() -> None:
    ratios = dict(DEFAULT_RATIOS) | {Bucket.MEMORY: 0, Bucket.TRANSCRIPT: 65}

    allotments = budget.allot(Policy(ratios=ratios), PROFILE)

    assert allotments.limits[Bucket.MEMORY] == 0
