"""BM25 over a handful of records, pure: the same query and records give the same order. Decides no threshold and no number.

Statistics come from the records given, so the order can be repeated from a build's inputs alone.
"""

from __future__ import annotations

import hashlib
import json
import math
from array import array
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


_NONE = Match(0.0, (), False)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the records say as a whole: in which of them a token stands and how often, how long each is. `digest` names
    the number of records for each token."""

    postings: Mapping[str, tuple[array[int], array[int]]]  # by token: the places of the records, and how often in each
    norms: Sequence[float]  # by record: what BM25 makes of its length
    digest: str


def statistics(records: Sequence[Sequence[str]]) -> Statistics:
    postings: dict[str, tuple[array[int], array[int]]] = {}
    for place, record in enumerate(records):
        for token, count in Counter(record).items():
            if token not in postings:
                postings[token] = (array("L"), array("L"))
            places, counts = postings[token]
            places.append(place)
            counts.append(count)
    average = sum(map(len, records)) / len(records) if records else 0.0
    norms = [K1 * (1 - B + B * len(record) / average) if average else K1 for record in records]
    told = json.dumps({token: len(places) for token, (places, _counts) in postings.items()}, sort_keys=True)
    digest = hashlib.sha256(told.encode()).hexdigest()[:16]
    return Statistics(postings, norms, digest)


def matches(query: Mapping[str, float], known: Statistics) -> tuple[Match, ...]:
    """One per record, in the order of the records. `query`: weight by token."""
    weights = _spelled(query, known.postings)
    norms = known.norms
    scores = [0.0] * len(norms)
    shared: dict[int, list[str]] = {}
    identified: set[int] = set()
    for token in sorted(weights):
        places, counts = known.postings[token]
        rarity = math.log(1 + (len(norms) - len(places) + 0.5) / (len(places) + 0.5))
        worth = weights[token] * rarity * (K1 + 1)
        for place, count in zip(places, counts, strict=True):
            scores[place] += worth * count / (count + norms[place])
            if place in shared:
                shared[place].append(token)
            else:
                shared[place] = [token]
        if token.startswith(IDENTIFIER):
            identified.update(places)
        elif (written := known.postings.get(IDENTIFIER + token)) is not None:
            identified.update(set(places) & set(written[0]))
    found = [_NONE] * len(norms)
    for place, told in shared.items():
        found[place] = Match(round(scores[place], DIGITS), tuple(told), place in identified)
    return tuple(found)


def _spelled(query: Mapping[str, float], vocabulary: Mapping[str, object]) -> dict[str, float]:
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
