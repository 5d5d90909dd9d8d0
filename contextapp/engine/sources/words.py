"""Every distinct search token of a long text, by the tokenizer of `relevance`, piece by piece. Pure; ranks nothing."""

from __future__ import annotations

from collections.abc import Iterable

from contextapp.engine.sources.relevance import TEXT_CHARS, tokens

OVERLAP = 64  # so that a word on the edge of two pieces is whole in one of them


def search_words(texts: Iterable[str], *, most_chars: int = 64_000, most_words: int = 4_000) -> tuple[str, ...]:
    """In alphabetical order. What lies beyond the limits is not found by search; the limits say so on the page."""
    found: set[str] = set()
    room = most_chars
    for text in texts:
        for start in range(0, min(len(text), room), TEXT_CHARS - OVERLAP):
            found.update(tokens.__wrapped__(text[start : start + TEXT_CHARS]))
            if len(found) >= most_words:
                return tuple(sorted(found)[:most_words])
        room -= len(text)
        if room <= 0:
            break
    return tuple(sorted(found))
