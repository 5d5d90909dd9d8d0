"""What holds for any result of any tool."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from contextapp.engine.observations import FAMILIES, reduce, reference
from contextapp.engine.observations.text import clean
from contextapp.engine.policy import Limits
from contextapp.engine.tokens import weight

LIMITS = Limits(
    file_read_lines=8, search_matches=3, list_entries=3, result_chars=900, result_tokens=300, old_result_chars=260
)
_tools = st.sampled_from(["Read", "Grep", "Glob", "Bash", "pytest", "Edit", "WebFetch", "mcp__x__y", ""])
_words = ["", "x", "\ud800", "{", "}", "👩‍👩‍👧" * 9, "数据" * 40, "word " * 60, "QUJD" * 200, "\0\1\2\3" * 30]
_output = ["a.py:3:hit", "12:hit", "Error: no", "\x1b[1mbold\x1b[0m", "10%\r99%", "    7→code"]
_lines = st.sampled_from(_words + _output)
_repeated = st.tuples(_lines, st.integers(1, 80)).map(lambda drawn: "\n".join([drawn[0]] * drawn[1]))
_contents = st.one_of(st.lists(_lines, max_size=60).map("\n".join), _repeated, st.text(max_size=3_000))


@given(_tools, _contents, st.booleans(), st.sampled_from(["", "event 12"]))
def test_a_reduction_is_never_longer_is_repeatable_and_says_what_it_left_out(
    tool: str, content: str, is_error: bool, artifact: str
) -> None:
    made = reduce(tool, {}, content, is_error=is_error, limits=LIMITS, artifact=artifact)

    assert reduce(tool, {}, content, is_error=is_error, limits=LIMITS, artifact=artifact) == made
    assert made.kind in FAMILIES
    assert "\n" not in made.summary
    assert len(made.text) <= len(content)
    assert (made.reason is None) == (made.text == clean(content))
    if made.shown < made.total:
        assert re.search(r"\[[\d,]+ of [\d,]+ \w+ shown", made.text), made.text


@given(_tools, _contents, st.booleans())
def test_a_reduction_fits_its_limits_and_can_be_encoded(tool: str, content: str, is_error: bool) -> None:
    made = reduce(tool, {}, content, is_error=is_error, limits=LIMITS)

    made.text.encode()
    assert len(made.text) <= LIMITS.result_chars
    assert weight(made.text) <= LIMITS.result_tokens * 11 // 10


@given(_tools, _contents, st.booleans())
def test_the_old_form_is_no_longer_than_the_result_and_stays_as_it_is(tool: str, content: str, is_error: bool) -> None:
    made = reduce(tool, {}, content, is_error=is_error, limits=LIMITS)

    short = reference(made, limits=LIMITS, artifact="event 3")

    assert len(short.text) <= len(made.text)
    assert reference(short, limits=LIMITS, artifact="event 3") == short
