"""The reader of front matter: what it takes, what it leaves unread, and what it refuses."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contextapp.engine.errors import InvalidInput
from contextapp.engine.front_matter import MOST_LINE_CHARS, MOST_LINES, FrontMatter, normal, read, write

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,12}", fullmatch=True)
PIECES = st.sampled_from(
    ["---", "...", "\n", "\r\n", "a", "key", ":", ": ", "- ", "  - ", "[", "]", ",", '"', "'", "\\", "\\u12", "#", " ", "\t",
     "|", "{", "&x", "\ufeff", "是", "\u2028", "\x00"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map(lambda pieces: "---\n" + "".join(pieces) + "\n---\n"))
@example("---\na: [" + '"' * 50 + "\n---")
def test_whatever_the_text_it_is_read_or_refused_with_the_engines_own_error(text: str) -> None:
    try:
        front = read(text)
    except InvalidInput as error:
        assert "front matter" in str(error)
        return

    assert normal(text).endswith(front.body)
    assert not set(front.scalars) & set(front.lists)


@given(st.text())
def test_any_text_at_all_is_read_or_refused(text: str) -> None:
    try:
        front = read(text)
    except InvalidInput:
        return

    assert normal(text).endswith(front.body)


@given(st.dictionaries(KEYS, TEXTS, max_size=5), st.dictionaries(KEYS, st.lists(TEXTS, max_size=4), max_size=4), TEXTS)
def test_what_is_written_is_read_back(scalars: dict[str, str], lists: dict[str, list[str]], body: str) -> None:
    own = {key: tuple(items) for key, items in lists.items() if key not in scalars}
    front = FrontMatter(scalars, own, (), normal("\n" + body)[1:])

    assert read(write(front)) == front


def test_scalars_are_text_whatever_they_look_like() -> None:
    front = read("---\na: true\nb: 007 # why\nc: 'it''s'\nd: \"x\\n#y\"\ne: don't\nf: a: b\n---\nbody\n")

    assert front.scalars == {"a": "true", "b": "007", "c": "it's", "d": "x\n#y", "e": "don't", "f": "a: b"}
    assert front.body == "body\n"


def test_lists_stand_on_lines_or_in_brackets() -> None:
    front = read('---\na:\n- x\n  - "y, z"\n# a remark\n\n- w # why\nb: [1, "2, 3", \'4\', ]\nc: []\nd:\n...\n')

    assert front.lists == {"a": ("x", "y, z", "w"), "b": ("1", "2, 3", "4"), "c": (), "d": ()}


@pytest.mark.parametrize(
    "value",
    ["|\n  text\n  more", ">", "{a: 1}", "&anchor x", "*alias", "[[1], 2]", "[a", "\n  nested: 1", "one\n  goes on"],
)
def test_more_than_scalars_and_lists_is_named_and_left_unread(value: str) -> None:
    front = read(f"---\nfirst: 1\nodd: {value}\nlast: 2\n---\n")

    assert front.unread == ("odd",)
    assert (front.scalars, front.lists) == ({"first": "1", "last": "2"}, {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\na: 1\na: 2\n---", "gives 'a' again"),
        ("---\na: 1\na:\n- 2\n---", "gives 'a' again"),
        ("---\nno key\n---", "line 2 is 'no key'"),
        ('---\na: "open\n---', "never closes it"),
        ('---\na: "x" y\n---', "goes on behind"),
        ('---\na: "\\q"\n---', "which no JSON text is"),
        ("---\na: 1\nbody", "never ends"),
        ("---\n- 1\n---", "line 2"),
        (f"---\na: {'x' * MOST_LINE_CHARS}\n---", f"at most {MOST_LINE_CHARS}"),
        ("---\n" + "#\n" * MOST_LINES + "---", f"at most {MOST_LINES}"),
    ],
)
def test_what_breaks_its_own_form_is_refused_with_line_and_value(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read(text)


@pytest.mark.parametrize(
    "text", ["", "# Title\n", "---\n\nA ruler, no front matter\n", " ---\na: 1\n---\n", "--- x\na: 1\n---"]
)
def test_a_text_without_front_matter_is_all_body(text: str) -> None:
    assert read(text) == FrontMatter(body=text)


def test_case_101_a_byte_order_mark_and_other_line_ends_hide_no_front_matter() -> None:
    front = read("\ufeff---\r\ndefault_action: block\r\n---\r\nbody\r\n")

    assert front == FrontMatter({"default_action": "block"}, {}, (), "body\n")
