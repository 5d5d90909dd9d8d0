"""Does a text concern the present goal: tokens they share, words and identifiers as well as Chinese, Japanese and Korean pairs.

Deterministic and without a dictionary. It orders and admits memory; it never reads events itself.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COMMON = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from", "has",
        "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "need", "new", "no", "not", "of",
        "on", "or", "our", "please", "so", "that", "the", "then", "there", "this", "to", "up", "us", "use",
        "user", "we", "what", "when", "with", "you", "your",
    }
)  # fmt: skip
QUERY_CHARS = 4_000


@lru_cache(maxsize=4_096)
def tokens(text: str) -> frozenset[str]:
    """Folded words, parts of identifiers, and pairs of neighbouring CJK characters."""
    found: set[str] = set()
    for match in _WORD.finditer(text[:QUERY_CHARS]):
        word = match.group()
        if _CJK.search(word):
            found.update(_pairs(word))
            continue
        for part in {word, *_CAMEL.split(word)}:
            folded = part.casefold()
            if len(folded) > 1 and folded not in _COMMON:
                found.add(_stem(folded))
    return frozenset(found)


def _pairs(word: str) -> set[str]:
    characters = [character for character in word if _CJK.match(character)]
    latin = {part.casefold() for part in re.findall(r"[A-Za-z0-9]{2,}", word)}
    if len(characters) == 1:
        return {characters[0], *latin}
    return {first + second for first, second in zip(characters, characters[1:], strict=False)} | latin


def _stem(word: str) -> str:
    """English plurals only: enough that `tests` meets `test`, too little to join words that differ."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def shared(query: frozenset[str], text: str) -> int:
    """How many tokens the text shares with the query."""
    return len(query & tokens(text))
