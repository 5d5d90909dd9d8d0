"""Finds secrets in text with linear-time expressions: one for all built-in rules, one more per rule of a project.

Never shows what it found. RE2 only: no pattern that a person writes can take more than time in proportion to the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import re2

from contextapp.eventlog.masking.rules import RULES

_OPTIONS = re2.Options()
_OPTIONS.encoding = re2.Options.Encoding.LATIN1  # bytes in, bytes out: text may hold lone surrogates
_OPTIONS.max_mem = 64 << 20
_OPTIONS.log_errors = False
_DETECTOR = re2.compile("|".join(f"(?:{rule.hint})" for rule in RULES).encode(), options=_OPTIONS)
_FINDER = re2.compile("|".join(rule.pattern for rule in RULES).encode(), options=_OPTIONS)

_OWN_OPTIONS = re2.Options()
_OWN_OPTIONS.encoding = re2.Options.Encoding.UTF8
_OWN_OPTIONS.max_mem = 8 << 20
_OWN_OPTIONS.log_errors = False


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a secret stands, in characters."""

    rule: str
    start: int
    end: int


def compile_own(pattern: str) -> Any:  # re2 carries no types
    """The expression of a project's own rule; re2.error says in RE2's own words what it does not take."""
    return re2.compile(pattern.encode("utf-8"), options=_OWN_OPTIONS)


class Scanner:
    """The built-in rules, and those of one project after them: where two overlap, the built-in one is named."""

    def __init__(self, own: Sequence[tuple[str, str]] = ()) -> None:
        self._own = [(name, compile_own(pattern)) for name, pattern in own]

    def may_hold_secret(self, canonical: bytes) -> bool:
        """False only when no string in these canonical JSON bytes holds a secret. Own rules have no hint to look for."""
        return bool(self._own) or _DETECTOR.search(canonical) is not None

    def find(self, text: str) -> tuple[Finding, ...]:
        """The secrets of a text, from left to right, never overlapping."""
        raw = text.encode("utf-8", "surrogatepass")
        spans = [(RULES[match.lastindex - 1].name, *match.span(match.lastindex)) for match in _FINDER.finditer(raw)]
        for name, expression in self._own:
            spans += [(name, *match.span()) for match in expression.finditer(raw) if match.end() > match.start()]
        if self._own:
            spans = _apart(spans)
        if len(raw) == len(text):
            return tuple(Finding(*span) for span in spans)
        return tuple(Finding(name, _characters(raw, start), _characters(raw, end)) for name, start, end in spans)


BUILT_IN = Scanner()


def may_hold_secret(canonical: bytes) -> bool:
    return BUILT_IN.may_hold_secret(canonical)


def find(text: str) -> tuple[Finding, ...]:
    return BUILT_IN.find(text)


def _apart(spans: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Overlapping places become one that covers them all, under the name of the first rule that found any of it."""
    order = {id(span): place for place, span in enumerate(spans)}
    made: list[tuple[str, int, int]] = []
    ranks: list[int] = []
    for span in sorted(spans, key=lambda span: (span[1], order[id(span)])):
        if made and span[1] < made[-1][2]:
            name, start, end = made[-1]
            if order[id(span)] < ranks[-1]:
                name, ranks[-1] = span[0], order[id(span)]
            made[-1] = (name, start, max(end, span[2]))
        else:
            made.append(span)
            ranks.append(order[id(span)])
    return made


def _characters(raw: bytes, position: int) -> int:
    return len(raw[:position].decode("utf-8", "surrogatepass"))
