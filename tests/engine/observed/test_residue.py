"""The bill beside our count: three named parts that add up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextapp.engine.events import Event
from contextapp.engine.observed import billed_input, preamble_of, residue_of
from tests.engine.logs import call, compacted, log, result, said, soups, user
from tests.engine.observed.windows import walk


def test_the_first_call_sets_the_preamble_and_later_calls_show_what_is_beyond_it() -> None:
    events = log(user("a b c"), said("d e", "m1"), user("f"), said("g", "m2"), user("h"), said("i", "m3"))

    first, second, third = walk(events, {1: 1_003, 2: 1_010, 3: 1_005}, factor=1.0)

    assert first.residue == {"billed": 1_003, "preamble": 1_000, "correction": 0, "unexplained": 0}
    assert second.residue == {"billed": 1_010, "preamble": 1_000, "correction": 0, "unexplained": 4}
    assert third.residue == {"billed": 1_005, "preamble": 1_000, "correction": 0, "unexplained": -3}
    assert [ledger.total_tokens for ledger in (first, second, third)] == [1_003, 1_010, 1_005]


def test_the_calibration_takes_its_share_first() -> None:
    assert preamble_of(1_000, 400, 1.5) == 400
    assert residue_of(400, 1_000, 1.5, 400) == {"billed": 1_000, "preamble": 400, "correction": 200, "unexplained": 0}
    assert preamble_of(100, 400, 1.0) == 0
    assert residue_of(400, 100, 0.9, 0) == {"billed": 100, "preamble": 0, "correction": -40, "unexplained": -260}


def test_history_from_before_the_file_is_no_preamble_once_a_compaction_took_it() -> None:
    events = log(
        user("a"), said("b", "m1"), compacted(summary="s"), user("c"), said("d", "m2"), user("e"), said("f", "m3")
    )

    ledgers = walk(events, {1: 150_000, 2: 30_002, 3: 30_010})

    assert [ledger.residue["preamble"] for ledger in ledgers] == [149_999, 30_000, 30_000]
    assert [ledger.residue["unexplained"] for ledger in ledgers] == [0, 0, 6]


def test_a_clearing_lets_the_preamble_shrink_and_never_grow() -> None:
    facts = (user("a"), call("x", "Bash", "m1"), result("x", "w"), compacted(part="cleared", cleared_call_ids=["x"]))

    smaller = walk(log(*facts, said("b", "m2")), {1: 1_000, 2: 500})
    larger = walk(log(*facts, said("b", "m2")), {1: 1_000, 2: 5_000})

    assert smaller[1].residue["preamble"] < 500
    assert larger[1].residue["preamble"] == 999


@pytest.mark.parametrize(
    ("usage", "billed"),
    [
        ({"input_uncached": 3, "cache_read": 4, "cache_write": 5, "output": 99}, 12),
        ({"input_uncached": None, "cache_read": 7}, 7),
        ({"input_uncached": 3, "quality": "placeholder"}, 3),
        ({"input_uncached": 3, "quality": "cumulative"}, None),
        ({"input_uncached": 0, "output": 4}, None),
        ({"input_uncached": "many"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_the_billed_input_is_every_kind_of_input(usage: dict[str, object] | None, billed: int | None) -> None:
    assert billed_input(usage) == billed


@settings(max_examples=20)
@given(soups(max_size=40), st.dictionaries(st.integers(1, 20), st.integers(1, 10**6)), st.floats(0.3, 3.0))
def test_a_total_never_hides_a_residue(events: list[Event], billed: dict[int, int], factor: float) -> None:
    for step, ledger in enumerate(walk(events, billed, factor), start=1):
        rows = sum(row.after_tokens for row in ledger.rows if row.is_included)
        parts = sum(ledger.residue.get(name, 0) for name in ("preamble", "correction", "unexplained"))
        assert rows + parts == ledger.total_tokens
        assert rows == ledger.estimated_tokens == sum(figures["used"] for figures in ledger.buckets.values())
        assert ledger.total_tokens == billed.get(step, rows)
        assert all(row.after_tokens == 0 for row in ledger.rows if not row.is_included)


@settings(max_examples=20)
@given(soups(max_size=40))
def test_every_source_has_one_row_and_nothing_is_counted_twice(events: list[Event]) -> None:
    for ledger in walk(events):
        ids = [row.source_id for row in ledger.rows]
        assert len(ids) == len(set(ids))
        orders = [row.order for row in ledger.rows if row.is_included]
        assert orders == list(range(len(orders)))


@settings(max_examples=20)
@given(soups(max_size=40))
def test_a_ledger_depends_on_the_events_before_its_call_only(events: list[Event]) -> None:
    whole = walk(events)

    for cut in range(0, len(events), 7):
        shorter = walk(events[:cut])
        assert whole[: len(shorter)] == shorter
