"""Untrusted text on a page: escaped, and nothing in it invisible."""

from __future__ import annotations

import pytest

from contextapp.web.templatetags.text import plain, visible


def test_markup_is_escaped():
    shown = visible("<script>alert(1)</script>")

    assert shown == "&lt;script&gt;alert(1)&lt;/script&gt;"


@pytest.mark.parametrize(
    ("hidden", "sign", "name"),
    [
        ("\x1b", "ESC", "U+001B"),
        ("\x00", "NUL", "U+0000"),
        ("\x7f", "DEL", "U+007F"),
        ("\r", "CR", "U+000D"),
        ("\u202e", "U+202E", "U+202E"),
        ("\u200b", "U+200B", "U+200B"),
        ("\U000e0041", "U+E0041", "U+E0041"),
        ("\ud800", "U+D800", "U+D800"),
    ],
)
def test_a_hidden_character_is_shown_with_its_code_point(hidden, sign, name):
    shown = visible(f"a{hidden}b")

    assert shown == f'a<span class="control" title="{name}">{sign}</span>b'
    shown.encode()


def test_line_ends_and_tabs_stay_as_they_are():
    assert visible("a\tb\r\nc\n") == "a\tb\nc\n"


def test_a_family_emoji_is_spelling_and_a_lone_joiner_is_not():
    assert visible("👨\u200d👩\u200d👧") == "👨\u200d👩\u200d👧"
    assert "U+200D" in visible("pass\u200dword")


def test_text_that_was_marked_safe_elsewhere_is_escaped_all_the_same():
    assert visible(visible("<b>")) == "&amp;lt;b&amp;gt;"


def test_a_title_holds_no_markup():
    assert plain("a\x1b\u202eb") == "a\ufffd\ufffdb"
