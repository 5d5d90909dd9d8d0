"""What a provider bills per token we count, from pairs of growth between clean steps. Pure; stores nothing.

A pair compares two calls of one session: how much our estimate grew and how much the bill grew. What both calls share,
such as a system prompt the record does not hold, cancels out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from statistics import median

GROWTH_TOKENS = 400  # below this, rounding and headers say more than the tokenizer
PAIRS_NEEDED = 3
BELIEVABLE = (0.25, 4.0)  # a ratio outside compares two different things, such as a cleared context


@dataclass(frozen=True, slots=True)
class Fit:
    """`factor` is the median ratio; a preflight that must not fall short takes `quantile_95`."""

    factor: float
    quantile_95: float
    sample_count: int


def fit(pairs: Iterable[tuple[int, int]]) -> Fit | None:
    """The fit of (estimated growth, billed growth); None when too few pairs say anything."""
    ratios = sorted(billed / estimated for estimated, billed in pairs if estimated > GROWTH_TOKENS and billed > 0)
    ratios = [ratio for ratio in ratios if BELIEVABLE[0] <= ratio <= BELIEVABLE[1]]
    if len(ratios) < PAIRS_NEEDED:
        return None
    upper = ratios[ceil(0.95 * len(ratios)) - 1]
    return Fit(round(median(ratios), 4), round(upper, 4), len(ratios))
