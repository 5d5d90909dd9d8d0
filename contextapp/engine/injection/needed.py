"""Words that a pattern can't match without, read from the pattern itself: looking for words is quick, and most text lacks them.
Never decides a match: what it lets through is still matched."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

WINDOW_CHARS, OVERLAP_CHARS = 1_200, 400
_PARSER: Any = importlib.import_module("re._parser")  # the reader that `re` itself compiles with
_MOST_WORDS = 160  # of one choice; a longer one is no filter worth its price
_LIKE_ASCII = str.maketrans({"İ": "i", "ı": "i", "ſ": "s", "\u212a": "k"})  # which `re.I` takes for these
_BITS: dict[str, int] = {}  # each word once, with its bit: all patterns share one look at a window


def masks(pattern: re.Pattern[str]) -> tuple[int, ...]:
    """One mask of words for each part of the pattern that must be there; a match has some word of every mask."""
    choices = [choice for choice in _required(_PARSER.parse(pattern.pattern, pattern.flags)) if choice]
    return tuple(sum(1 << _BITS.setdefault(word, len(_BITS)) for word in choice) for choice in set(choices))


def present(text: str, start: int, end: int) -> int:
    """The words of all masks that stand between the places, as one number."""
    lowered = text[start:end].translate(_LIKE_ASCII).lower()
    marks = 0
    for word, bit in _BITS.items():
        if word in lowered:
            marks |= 1 << bit
    return marks


def may_match(wanted: Sequence[int], marks: int) -> bool:
    return all(mask & marks for mask in wanted)


def windows(text: str) -> Iterator[tuple[int, int]]:
    """Places that cover the text, overlapping so that what is shorter than the overlap stands whole in one of them."""
    for start in range(0, max(1, len(text)), WINDOW_CHARS - OVERLAP_CHARS):
        yield start, min(len(text), start + WINDOW_CHARS)
        if start + WINDOW_CHARS >= len(text):
            return


def _required(items: Any) -> list[frozenset[str]]:
    """The choices of words of a sequence: of each choice one word must be in whatever the sequence matches."""
    found: list[frozenset[str]] = []
    run = ""
    for operation, value in items:
        name = str(operation)
        if name == "LITERAL":
            run += chr(value).lower()
            continue
        if name == "AT":
            continue
        found, run = [*found, *_choice([run])], ""
        if name == "SUBPATTERN":
            found += _required(value[-1])
        elif name == "BRANCH":
            found += _branch(value[1])
        elif name in ("MAX_REPEAT", "MIN_REPEAT") and value[0] > 0:
            found += _required(value[2])
        elif name == "ASSERT" and value[0] > 0:
            found += _required(value[1])
    return [*found, *_choice([run])]


def _branch(alternatives: Any) -> list[frozenset[str]]:
    words: list[str] = []
    for alternative in alternatives:
        choices = _required(alternative)
        if not choices:
            return []
        strongest: frozenset[str] = max(choices, key=_strength)
        words += strongest
    return _choice(words)


def _choice(words: list[str]) -> list[frozenset[str]]:
    return [frozenset(words)] if all(words) and len(set(words)) <= _MOST_WORDS else []


def _strength(choice: frozenset[str]) -> tuple[int, int]:
    """Long words are rare, and few of them are rarer."""
    return min(len(word) for word in choice), -len(choice)
