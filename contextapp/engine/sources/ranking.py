"""BM25 over a handful of records, pure: the same query and records give the same order. Decides no threshold and no number.

Statistics come from the records given, so the order can be repeated from a build's inputs alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contextapp.engine.sources.relevance import IDENTIFIER

K1, B = 1.2, 0.75
DIGITS = 9  # scores are rounded, so that no machine's last bit decides
SPELLED_LETTERS = 4  # shorter words are never taken for misspelt
SPELLED_WORDS = 32
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Match:
    """How well one record answers the query: its BM25 score, the tokens they share, in order, and whether one of them is an
    identifier of the record, however the query writes it."""

    score: float
    shared: tuple[str, ...]
    has_identifier: bool


def matches(query: Mapping[str, float], records: Sequence[Sequence[str]]) -> tuple[Match, ...]:
    """One per record, in the order of the records. `query`: weight by token."""
    counted = [Counter(record) for record in records]
    frequency = Counter(token for counts in counted for token in counts)
    weights = _spelled(query, frequency)
    average = sum(map(len, records)) / len(records) if records else 0.0
    rarity = {
        token: math.log(1 + (len(records) - count + 0.5) / (count + 0.5))
        for token, count in frequency.items()
        if token in weights
    }
    return tuple(
        _match(counts, len(record), average, weights, rarity) for counts, record in zip(counted, records, strict=True)
    )


def _match(
    counts: Counter[str], length: int, average: float, weights: Mapping[str, float], rarity: Mapping[str, float]
) -> Match:
    shared = sorted(token for token in counts if token in rarity)
    norm = K1 * (1 - B + B * length / average) if average else K1
    score = sum(weights[token] * rarity[token] * counts[token] * (K1 + 1) / (counts[token] + norm) for token in shared)
    has_identifier = any(token.startswith(IDENTIFIER) or IDENTIFIER + token in counts for token in shared)
    return Match(round(score, DIGITS), tuple(shared), has_identifier)


def _spelled(query: Mapping[str, float], vocabulary: Mapping[str, int]) -> dict[str, float]:
    """The query with unknown Latin words replaced by known ones that one slip of the finger away."""
    spelled = {token: weight for token, weight in query.items() if token in vocabulary}
    unknown = sorted(token for token in query if token not in vocabulary and _is_word(token))
    for token in unknown[:SPELLED_WORDS]:
        for near in sorted(_one_slip(token) & vocabulary.keys()):
            spelled[near] = max(spelled.get(near, 0.0), query[token])
    return spelled


def _is_word(token: str) -> bool:
    return len(token) >= SPELLED_LETTERS and token.isascii() and token.isalpha()


def _one_slip(word: str) -> set[str]:
    """Every word that a missing, additional, wrong or exchanged neighbouring letter makes of it."""
    parts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    near = {head + tail[1:] for head, tail in parts if tail}
    near |= {head + tail[1] + tail[0] + tail[2:] for head, tail in parts if len(tail) > 1}
    near |= {head + letter + tail[1:] for head, tail in parts if tail for letter in _LETTERS}
    near |= {head + letter + tail for head, tail in parts for letter in _LETTERS}
    return near
