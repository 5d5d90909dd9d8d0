"""The chart's geometry: what stands where, on synthetic steps."""

from __future__ import annotations

import pytest

from contextapp.web import chart
from contextapp.web.chart import Column


def column(
    step: int, *parts: tuple[str, int], turn: int = 1, marks: tuple[str, ...] = (), line: int | None = None
) -> Column:
    return Column(step, turn, f"/steps/{step}/", parts, f"step {step}", marks, line)


def test_parts_of_a_bar_stand_on_each_other_without_a_gap() -> None:
    drawn = chart.draw([column(1, ("instructions", 250), ("transcript", 750))], 1000)

    lower, upper = drawn.bars[0].rects
    assert (lower.kind, upper.kind) == ("instructions", "transcript")
    assert lower.y + lower.height == pytest.approx(drawn.bottom)
    assert upper.y + upper.height == pytest.approx(lower.y, abs=0.11)
    assert upper.height == pytest.approx(3 * lower.height, abs=0.2)


def test_a_bar_as_high_as_the_window_ends_at_the_limit_line() -> None:
    drawn = chart.draw([column(1, ("transcript", 200_000))], 200_000)

    assert drawn.bars[0].rects[0].y == drawn.limit_y


def test_parts_without_tokens_and_negative_ones_take_no_room() -> None:
    drawn = chart.draw([column(1, ("transcript", 500), ("memory", 0), ("correction", -40))], None)

    assert [rect.kind for rect in drawn.bars[0].rects] == ["transcript"]


def test_an_unknown_window_draws_no_limit() -> None:
    drawn = chart.draw([column(1, ("transcript", 500))], None)

    assert drawn.limit_y is None
    assert not drawn.above_scale


def test_a_scale_of_the_use_says_that_the_window_is_above_it() -> None:
    drawn = chart.draw([column(1, ("transcript", 900))], 200_000, to_window=False)

    assert drawn.above_scale
    assert drawn.top_tokens == 1000


@pytest.mark.parametrize("highest", [0, 1, 3, 7, 99, 4_321, 128_000, 200_000, 1_048_576])
def test_ticks_are_few_and_reach_the_highest_figure(highest: int) -> None:
    drawn = chart.draw([column(1, ("transcript", highest))], None)

    tokens = [tick.tokens for tick in drawn.ticks]
    assert tokens[0] == 0
    assert tokens[-1] >= highest
    assert 2 <= len(tokens) <= 8
    assert tokens == sorted(set(tokens))


def test_brackets_join_the_steps_of_a_turn() -> None:
    drawn = chart.draw([column(1), column(2), column(3, turn=2)], None)

    first, second = drawn.brackets
    assert (first.turn, second.turn) == (1, 2)
    assert first.left < drawn.bars[1].middle < first.right < second.left < drawn.bars[2].middle < second.right


def test_marks_of_one_step_do_not_cover_each_other() -> None:
    drawn = chart.draw([column(1, ("transcript", 10), marks=("compaction", "denial"))], 1000)

    first, second = drawn.bars[0].marks
    assert abs(first.y - second.y) >= 12


def test_the_thin_line_is_broken_at_steps_without_a_figure() -> None:
    drawn = chart.draw([column(1, line=10), column(2, line=20), column(3), column(4, line=30)], 100)

    whole, alone = drawn.line.split("M")[1:]
    assert (whole.count("L"), whole.count("H"), alone.count("L"), alone.count("H")) == (1, 0, 0, 1)


def test_five_thousand_steps_become_an_overview_that_keeps_peaks_and_marks() -> None:
    columns = [column(step, ("transcript", 10)) for step in range(1, 5001)]
    columns[2500] = column(2501, ("transcript", 900), marks=("overflow",))

    found = chart.overview(columns, 1000, first_step=4801)

    assert len(found.bins) == chart.OVERVIEW_BINS
    peak = max(found.bins, key=lambda one: one.height)
    assert peak.first_step <= 2501 <= peak.last_step
    assert [mark.kind for mark in peak.marks] == ["overflow"]
    assert [one.first_step for one in found.bins if one.in_window] == [4801, 4851, 4901, 4951]


@pytest.mark.parametrize(("wanted", "start"), [(None, 801), (1, 1), (0, 1), (-5, 1), (500, 500), (99_999, 801)])
def test_the_window_stays_inside_the_session(wanted: int | None, start: int) -> None:
    assert chart.window_start(1000, wanted) == start
