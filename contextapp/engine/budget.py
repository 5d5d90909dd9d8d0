"""Shares of the window: what each bucket may hold, what the floor takes, and what is borrowed for it. Drops nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from contextapp.engine.errors import UnknownWindow
from contextapp.engine.inputs import ModelProfile
from contextapp.engine.policy import Policy
from contextapp.engine.values import Bucket

PARTS = 1_000_000  # the calibrated factor in whole millionths, so that no sum depends on floating point


@dataclass(frozen=True, slots=True)
class Allotments:
    """Tokens per bucket: `allotted` as the policy's ratios say; `limits` what sources may take of it by our own counting,
    smaller by the calibrated factor so that the margin has its room."""

    window: int
    allotted: Mapping[Bucket, int]
    limits: Mapping[Bucket, int]
    instructions_hard: int
    reserve: int
    factor_parts: int

    def margin(self, counted: int) -> int:
        """What an estimated tokenizer may be short of, for that many counted tokens; rounded up."""
        return -(-counted * (self.factor_parts - PARTS) // PARTS)


def window_of(profile: ModelProfile) -> int:
    """The window in tokens, or UnknownWindow: a guess would be worse than the answer that none is known."""
    if profile.window_tokens is None:
        raise UnknownWindow(f"model {profile.model!r} has no known context window; name one in the model's profile")
    if profile.window_tokens < 1:
        raise UnknownWindow(f"model {profile.model!r} has a window of {profile.window_tokens} tokens; need at least 1")
    return profile.window_tokens


def allot(policy: Policy, profile: ModelProfile) -> Allotments:
    """Ratios are percent of the window. The reserve never exceeds what the model can answer; what that frees stays free."""
    window = window_of(profile)
    factor_parts = max(PARTS, round(profile.factor * PARTS))
    allotted = {bucket: window * policy.ratios[bucket] // 100 for bucket in Bucket}
    reserve = allotted[Bucket.RESERVE]
    if profile.output_limit_tokens is not None:
        reserve = max(0, min(reserve, profile.output_limit_tokens))
    return Allotments(
        window=window,
        allotted=allotted,
        limits={bucket: tokens * PARTS // factor_parts for bucket, tokens in allotted.items()},
        instructions_hard=window * policy.instructions_hard_limit // 100 * PARTS // factor_parts,
        reserve=reserve,
        factor_parts=factor_parts,
    )


def borrowed(instruction_tokens: int, allotments: Allotments) -> int:
    """What the instructions take from the transcript: they are whole up to their hard limit, however small their bucket."""
    return max(0, instruction_tokens - allotments.limits[Bucket.INSTRUCTIONS])


def unused(costs: Mapping[Bucket, int], allotments: Allotments) -> int:
    """What these buckets leave free of their limits, and what the model's output limit leaves free of the reserve."""
    free = sum(max(0, allotments.limits[bucket] - cost) for bucket, cost in costs.items())
    clamped = allotments.allotted[Bucket.RESERVE] - allotments.reserve
    return free + clamped * PARTS // allotments.factor_parts
