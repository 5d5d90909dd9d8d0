"""Where history is cut and where results count as old: places in the log that the log's weight alone decides.

Between two edges the request only grows at its end, so a provider's prompt cache keeps hitting. Never looks at token counts
or at an earlier build (docs/decisions/0002-edges-from-weight.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.engine.policy import Policy


@dataclass(frozen=True, slots=True)
class Edges:
    """`start`: atoms that end at or before it are out; `fresh`: results that end at or before it are old."""

    start: int
    fresh: int


@dataclass(frozen=True, slots=True)
class Ruler:
    """Edges stand at multiples of `step`. Start is the first that leaves at most `high` behind it; fresh runs a whole number of
    steps ahead, so that both move at once: each move costs the cached prefix, and one cost is enough."""

    high: int
    step: int
    fresh_ahead: int  # in steps

    def edges(self, weight: int) -> Edges:
        place = -(-(weight - self.high) // self.step)
        return Edges(max(0, place) * self.step, max(0, place + self.fresh_ahead) * self.step)

    def last_edge(self, weight: int) -> int:
        """The last edge at or before that weight."""
        return max(0, weight) // self.step * self.step


def ruler(allotment: int, policy: Policy) -> Ruler:
    """For a transcript of that many tokens. At most `fresh_share` of it, rounded up to a step, stays fresh."""
    high = allotment * policy.high_mark // 100
    low = allotment * policy.low_mark // 100
    step = max(1, high - low)
    fresh = allotment * policy.fresh_share // 100
    return Ruler(high, step, fresh_ahead=max(0, high - fresh) // step)
