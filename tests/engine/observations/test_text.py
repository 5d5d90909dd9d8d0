"""Cuts fall between what a reader sees as characters."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from contextapp.engine.observations.text import clean, first_line, head, size, tail, title_line

FAMILY, FLAG, KEYCAP = "👩‍👩‍👧", "🇩🇪", "1️⃣"


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("hello", 9, "hello"),
        ("hello", 3, "hel"),
        ("hello", 0, ""),
        ("ab" + FAMILY, 4, "ab"),
        (FAMILY + "ab", 6, FAMILY + "a"),
        (FLAG * 3, 3, FLAG),
        ("e\u0301e\u0301", 3, "e\u0301"),
        ("a\r\nb", 2, "a"),
        (KEYCAP + "x", 2, ""),
        ("한국어" * 3, 4, "한국어한"),
    ],
)
def test_a_head_ends_between_graphemes(text: str, limit: int, expected: str) -> None:
    assert head(text, limit) == expected


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("hello", 9, "hello"),
        ("hello", 3, "llo"),
        ("hello", 0, ""),
        (FAMILY + "ab", 4, "ab"),
        ("ab" + FAMILY, 6, "b" + FAMILY),
        (FLAG * 3, 3, FLAG),
        ("a\r\nb", 2, "b"),
    ],
)
def test_a_tail_begins_between_graphemes(text: str, limit: int, expected: str) -> None:
    assert tail(text, limit) == expected


_pieces = st.lists(st.sampled_from([FAMILY, FLAG, KEYCAP, "a", " ", "数", "e\u0301", "\r\n", "\n", "한"]), max_size=60)


@given(_pieces, st.integers(0, 200))
def test_cuts_are_grapheme_boundaries_of_the_whole_text(pieces: list[str], limit: int) -> None:
    text = "".join(pieces)
    boundaries = {0, *(match.end() for match in regex.finditer(r"\X", text))}

    start, end = head(text, limit), tail(text, limit)

    assert text.startswith(start)
    assert text.endswith(end)
    assert len(start) in boundaries
    assert len(text) - len(end) in boundaries
    assert max(len(start), len(end)) <= max(limit, 0) or len(text) <= limit


@given(st.text(st.characters(categories=["Cs", "Lu", "So"])))
def test_clean_text_can_be_encoded_and_clean_is_done_once(text: str) -> None:
    cleaned = clean(text)

    cleaned.encode()
    assert clean(cleaned) == cleaned


def test_a_split_pair_is_joined_and_a_lone_half_replaced() -> None:
    assert clean("\ud83d\ude00 \ud83d") == "😀 \ufffd"


def test_first_line_and_sizes_are_for_people() -> None:
    assert first_line("\n\n  hello \nworld") == "hello"
    assert first_line(FAMILY * 10, 9) == FAMILY + "…"
    assert first_line("") == ""
    assert [size(n) for n in (5, 2048, 3_500_000)] == ["5 B", "2 KB", "3.3 MB"]


def test_a_title_goes_on_where_its_first_line_only_leads_to_the_next() -> None:
    assert title_line("\n Fix the parser \nit fails") == "Fix the parser"
    assert title_line("Implement the following plan:\n\n# Review: token usage\n") == (
        "Implement the following plan: Review: token usage"
    )
    assert title_line("Only this:") == "Only this:"
    assert title_line(" \n") == ""
