"""The piece of an event around what was looked for. Reads nothing itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

AROUND = 120


def excerpt(strings: Sequence[str], text: str, words: Sequence[str]) -> str:
    """Around the text as it was typed, else around the longest of its words; else the start of the longest string."""
    for sought in (text, *sorted((word.lstrip("=") for word in words), key=len, reverse=True)):
        pattern = re.compile(re.escape(sought), re.IGNORECASE)
        for string in strings:
            if found := pattern.search(string):
                return _cut(string, found.start(), found.end())
    return _cut(max(strings, key=len), 0, 0) if strings else ""


def _cut(string: str, start: int, end: int) -> str:
    first, last = max(0, start - AROUND), min(len(string), end + 2 * AROUND)
    piece = " ".join(string[first:last].split())
    return f"{'…' if first else ''}{piece}{'…' if last < len(string) else ''}"
