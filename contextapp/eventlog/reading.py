"""Reads one payload for queries: what jsonb can't hold is replaced and counted, strings are measured and cut into search words.

Works on the canonical bytes; decides nothing about storage.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from contextapp.engine.sources.words import search_words
from contextapp.engine.tokens import weight
from contextapp.evidence import canonical

DOC_BYTES = 64 * 1024  # a larger payload has no copy: its words are found all the same
# An escape of canonical JSON: \\uXXXX, or a backslash with any other character.
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|.)")


@dataclass(frozen=True, slots=True)
class Read:
    """`doc` is JSON text that PostgreSQL takes as jsonb, or None; `cleaned` counts what was replaced."""

    doc: str | None
    cleaned: dict[str, int] | None
    characters: int
    tokens: int
    words: tuple[str, ...]


def read_payload(body: bytes) -> Read:
    text = body.decode("ascii")
    cleaned: dict[str, int] = {}
    doc = _clean(text, cleaned) if "\\u0000" in text or "\\ud" in text else text
    if len(body) > DOC_BYTES:
        cleaned["too_large"] = len(body)
    strings = tuple(canonical.strings(json.loads(doc, parse_int=str, parse_float=str)))
    return Read(
        doc=None if len(body) > DOC_BYTES else doc,
        cleaned=cleaned or None,
        characters=sum(map(len, strings)),
        tokens=sum(map(weight, strings)),
        words=search_words(strings),
    )


def _clean(text: str, counted: dict[str, int]) -> str:
    """Without NUL and without half a surrogate pair; each becomes U+FFFD."""
    made: list[str] = []
    position = 0
    high: tuple[int, int] | None = None  # where a high surrogate stands that waits for its other half
    for found in _ESCAPE.finditer(text):
        code = int(found[1], 16) if found[1] else None
        is_low = code is not None and 0xDC00 <= code <= 0xDFFF
        if high is not None and not (is_low and found.start() == high[1]):
            made += [text[position : high[0]], "\\ufffd"]
            position = high[1]
            counted["surrogate"] = counted.get("surrogate", 0) + 1
            high = None
        if code is None:
            continue
        if 0xD800 <= code <= 0xDBFF:
            high = (found.start(), found.end())
        elif is_low and high is not None:
            high = None
        elif is_low or code == 0:
            made += [text[position : found.start()], "\\ufffd"]
            position = found.end()
            name = "nul" if code == 0 else "surrogate"
            counted[name] = counted.get(name, 0) + 1
    if high is not None:
        made += [text[position : high[0]], "\\ufffd"]
        position = high[1]
        counted["surrogate"] = counted.get("surrogate", 0) + 1
    return "".join([*made, text[position:]])
