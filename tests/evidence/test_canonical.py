"""Canonical bytes: nothing accepted is changed, nothing doubtful is accepted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextapp.evidence import canonical

texts = st.text(st.characters(exclude_categories=[]), max_size=20)  # lone surrogates and NUL too
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "literal",
    ["18446744073709551616", "9007199254740993", "1E2", "1e2", "-0.0", "-0", "1e-7", "1.0", "0.10", "1" + "0" * 400],
)
@pytest.mark.parametrize("read", [canonical.decode, canonical.read])
def test_a_number_keeps_the_text_it_came_with(literal: str, read: Callable[[bytes], Any]) -> None:
    raw = b'{"n":[' + literal.encode() + b"]}"

    assert canonical.encode(read(raw)) == raw


def test_kept_numbers_are_still_numbers() -> None:
    value = canonical.decode(b'{"n":1E2}')

    assert value["n"] == 100
    assert json.dumps(value) == '{"n": 100.0}'


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "\udc00x", "中文 \U0001f600", '"\\\n\t', "\u2028"])
def test_any_text_survives_as_escapes(text: str) -> None:
    raw = canonical.encode({"t": text, text: 1})

    assert raw.isascii()
    assert canonical.decode(raw) == {"t": text, text: 1}


def test_keys_are_sorted_and_nothing_is_spaced() -> None:
    assert canonical.encode({"b": 1, "a": {"d": [], "c": None}}) == b'{"a":{"c":null,"d":[]},"b":1}'


@pytest.mark.parametrize(
    ("raw", "path", "reason"),
    [
        (b'{"a":[1,NaN]}', "/a/1", "NaN is not a JSON number"),
        (b'{"a":{"b/c":-Infinity}}', "/a/b~1c", "-Infinity is not a JSON number"),
        (b'{"a":1e400}', "/a", "1e400 is out of range"),
        (b'{"a":{"k":1,"k":2}}', "/a/k", "key appears twice"),
        (b'{"a":' + b"9" * 5000 + b"}", "/a", "5000 digits are too many"),
        (b'{"a":"\xed\xa0\x80"}', "", "not UTF-8 at byte 6"),
        (b"\xff\xfe{\x00", "", "not UTF-8 at byte 0"),
        (b'{"a":1', "", "not JSON: Expecting ',' delimiter at character 6"),
    ],
)
def test_what_would_be_lost_is_refused_by_name(raw: bytes, path: str, reason: str) -> None:
    with pytest.raises(canonical.NotCanonical) as refused:
        canonical.decode(raw)

    assert (refused.value.path, refused.value.reason) == (path, reason)


@pytest.mark.parametrize("depth", [65, 1_000, 100_000])
def test_nesting_beyond_the_limit_is_refused(depth: int) -> None:
    with pytest.raises(canonical.NotCanonical, match="nested deeper than 64"):
        canonical.decode(b"[" * depth + b"]" * depth)


def test_nesting_at_the_limit_is_read() -> None:
    assert canonical.decode(b"[" * 64 + b"]" * 64)


def test_many_containers_side_by_side_are_not_deep() -> None:
    assert len(canonical.decode(b"[" + b",".join([b"{}"] * 500) + b"]")) == 500


@pytest.mark.parametrize(
    ("value", "path"),
    [({"a": [math.inf]}, "/a/0"), ({"a": math.nan}, "/a"), ({"a": {1: "x"}}, "/a"), ({"a": {2, 3}}, "/a")],
)
def test_a_python_value_without_a_json_form_is_refused_by_path(value: Any, path: str) -> None:
    with pytest.raises(canonical.NotCanonical) as refused:
        canonical.encode(value)

    assert refused.value.path == path


@given(values)
def test_decoding_what_was_encoded_gives_the_same_bytes(value: Any) -> None:
    raw = canonical.encode(value)

    assert canonical.encode(canonical.decode(raw)) == raw
    assert canonical.encode(canonical.read(raw)) == raw


@given(values)
def test_both_writers_write_the_same(value: Any) -> None:
    parts: list[str] = []
    canonical._write(value, parts, "")

    assert "".join(parts).encode() == canonical.encode(value)
