"""Where history is cut and where results count as old: places in the log that the log's weight alone decides.

Between two edges the request only grows at its end, so a provider's prompt cache keeps hitting. Never looks at token counts
or at an earlier build (docs/decisions/0002-edges-from-weight.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.engine.policy import Policy


@dataclass(frozen=True, slots=True)
class Ruler:
    """Edges stand at multiples of `step`. The one in force is the first that leaves at most `high` behind it."""

    high: int
    step: int

    def edge(self, weight: int) -> int:
        if weight <= self.high:
            return 0
        return self.step * -(-(weight - self.high) // self.step)

    def next_edge(self, edge: int) -> int:
        return edge + self.step


@dataclass(frozen=True, slots=True)
class Rulers:
    """`start`: atoms that end at or before its edge are out; `fresh`: results that end at or before it are old."""

    start: Ruler
    fresh: Ruler


def rulers(allotment: int, policy: Policy) -> Rulers:
    """The two rulers for a transcript of that many tokens."""
    return Rulers(_ruler(allotment, policy), _ruler(allotment * policy.fresh_share // 100, policy))


def _ruler(allotment: int, policy: Policy) -> Ruler:
    high = allotment * policy.high_mark // 100
    low = allotment * policy.low_mark // 100
    return Ruler(high=high, step=max(1, high - low))
