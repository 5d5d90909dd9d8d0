"""Where results count as old and what history may come to, as figures of the policy. The places stand on a grid that the log's
weight alone decides, so that a build can tell them without knowing any earlier one (docs/decisions/0002-edges-from-weight.md).
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
    """`step`: weight from one edge of the grid to the next. `most`: tokens that history may come to. `fresh`: tokens of it that
    stay unreduced; when they pass that mark, results up to the next edge of the grid count as old, all at once."""

    step: int
    most: int
    fresh: int

    def first_edge(self, weight: int) -> int:
        """The first edge at or behind that weight."""
        return -(-max(0, weight) // self.step) * self.step

    def last_edge(self, weight: int) -> int:
        """The last edge at or before that weight."""
        return max(0, weight) // self.step * self.step

    def within(self, available: int) -> Ruler:
        """For history that has less room than the marks say: both marks come down alike."""
        if available >= self.most:
            return self
        most = max(0, available)
        return Ruler(self.step, most, self.fresh * most // max(1, self.most))


def ruler(allotment: int, policy: Policy, fresh_share: int) -> Ruler:
    """For a transcript of that many tokens, of whose history `fresh_share` percent stays unreduced."""
    most = allotment * policy.high_mark // 100
    low = allotment * policy.low_mark // 100
    return Ruler(step=max(1, most - low), most=most, fresh=most * fresh_share // 100)
