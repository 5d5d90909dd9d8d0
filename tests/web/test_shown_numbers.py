"""Numbers, token counts, times and the small bar, as a page shows them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation

from contextapp.web.templatetags.fill import fill_bar
from contextapp.web.templatetags.numbers import share, short, size, thousands
from contextapp.web.templatetags.times import ago, clock, when
from contextapp.web.templatetags.tokens import tokens

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


def test_thousands_are_grouped_by_three_in_chinese_too():
    with translation.override("zh-hans"):
        assert thousands(1_234_567) == "1,234,567"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(950, "950"), (9_821, "9.8k"), (118_204, "118k"), (99_960, "100k"), (1_200_000, "1.2M"), (None, "–")],
)
def test_a_short_number_keeps_the_figures_that_matter(value, expected):
    assert short(value) == expected


@pytest.mark.parametrize(("part", "expected"), [(61, "61 %"), (0, "0 %"), (0.4, "< 1 %"), (None, "–")])
def test_a_share_never_rounds_something_to_nothing(part, expected):
    assert share(part, 100) == expected


def test_a_share_of_an_unknown_whole_is_unknown():
    assert share(5, None) == "–"


@pytest.mark.parametrize(
    ("value", "expected"), [(812, "812 B"), (41_300, "41 KB"), (1_200_000, "1.2 MB"), (64 * 1024 * 1024, "67.1 MB")]
)
def test_a_size_has_a_unit(value, expected):
    assert size(value) == expected


def test_a_token_count_says_how_it_was_made():
    shown = tokens(9821, "estimated")

    assert "9,821 tok" in shown
    assert "◐" in shown
    assert 'title="estimated:' in shown


def test_a_count_of_unknown_method_carries_no_sign():
    assert tokens(9821) == '<span class="nowrap">9,821 tok</span>'


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=14), "14 min ago"),
        (timedelta(hours=2), "2 h ago"),
        (timedelta(hours=30), "yesterday"),
        (timedelta(days=12), "12 days ago"),
        (timedelta(days=90), "2025-12-14"),
        (timedelta(hours=-3), "2026-03-14"),
    ],
)
def test_a_time_is_relative_until_it_is_old(age, expected):
    assert ago(NOW - age, NOW) == expected


def test_a_claimed_time_is_told_apart_from_a_recorded_one():
    assert "as the transcript claims" in when(NOW, claimed=True)
    assert "recorded" in when(NOW)


def test_evidence_times_are_absolute_with_their_zone():
    assert clock(NOW) == "2026-03-14 12:00:00 UTC"


def test_the_bar_of_a_row_tells_full_steps_from_others():
    shown = fill_bar([0, 500, 900])

    assert 'width="12"' in shown
    assert 'class="calm" d="M0 16v-1h3v1zM4 16v-8h3v8z"' in shown
    assert 'class="high" d="M8 16v-14h3v14z"' in shown
    assert "fullest at 90 % of the window, 90 % at the end" in shown


def test_an_unknown_window_draws_no_bar():
    assert "svg" not in fill_bar([])
