"""What a provider bills per token we count, from pairs of growth between clean steps. Pure; stores nothing.

A pair compares two calls of one session: how much our estimate grew and how much the bill grew. What both calls share,
such as a system prompt the record does not hold, cancels out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median

GROWTH_TOKENS = 400  # below this, rounding and headers say more than the tokenizer
RUN_TOKENS = 5_000  # a request's error is that of many pieces together; one piece alone would overstate it
PAIRS_NEEDED = 3
BELIEVABLE = (0.25, 4.0)  # a ratio outside compares two different things, such as a cleared context


@dataclass(frozen=True, slots=True)
class Fit:
    """`factor` is the median ratio of single steps; a preflight that must not fall short takes `quantile_95`, the upper
    quantile over runs of steps that grew by RUN_TOKENS together."""

    factor: float
    quantile_95: float
    sample_count: int


def fit(pairs: Iterable[tuple[int, int]]) -> Fit | None:
    """The fit of (estimated growth, billed growth); None when too few pairs say anything."""
    clean = [
        (estimated, billed)
        for estimated, billed in pairs
        if estimated > GROWTH_TOKENS and BELIEVABLE[0] <= billed / estimated <= BELIEVABLE[1]
    ]
    if len(clean) < PAIRS_NEEDED:
        return None
    factor = median(billed / estimated for estimated, billed in clean)
    runs = sorted(_runs(clean))
    upper = max(factor, runs[ceil(0.95 * len(runs)) - 1])
    return Fit(round(factor, 4), round(upper, 4), len(clean))


def _runs(pairs: Sequence[tuple[int, int]]) -> Iterator[float]:
    """Ratios of neighbouring pairs summed up to RUN_TOKENS; a rest too short to stand alone counts with all the others."""
    estimated = billed = 0
    for grown, charged in pairs:
        estimated, billed = estimated + grown, billed + charged
        if estimated >= RUN_TOKENS:
            yield billed / estimated
            estimated = billed = 0
    if estimated:
        yield sum(charged for _, charged in pairs) / sum(grown for grown, _ in pairs)
