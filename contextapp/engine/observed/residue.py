"""The provider's bill beside our count: what differs, in three named parts that add up. Never rounds a difference away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextapp.engine.projection.payloads import whole

_INPUT_FIELDS = ("input_uncached", "cache_read", "cache_write")


def billed_input(usage: Mapping[str, Any] | None) -> int | None:
    """The input a provider billed for one call; None where it reported none, or only a running sum."""
    if not usage or usage.get("quality") == "cumulative":
        return None
    billed = sum(max(0, whole(usage, name) or 0) for name in _INPUT_FIELDS)
    return billed or None


def preamble_of(billed: int, estimated: int, factor: float) -> int:
    """What the first call was billed beyond its calibrated sources: the system prompt and tools that the file lacks."""
    return max(0, billed - round(factor * estimated))


def residue_of(estimated: int, billed: int | None, factor: float, preamble: int) -> dict[str, int]:
    """{billed, preamble, correction, unexplained}: estimated + preamble + correction + unexplained = billed, always. Empty
    where nothing was billed. `unexplained` may be negative: then we counted what the harness did not send."""
    if billed is None:
        return {}
    correction = round(factor * estimated) - estimated
    unexplained = billed - estimated - preamble - correction
    return {"billed": billed, "preamble": preamble, "correction": correction, "unexplained": unexplained}
