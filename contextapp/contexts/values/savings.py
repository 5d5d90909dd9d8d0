"""What the engine saves, by tool family, session and project. Tokens as our counter counts them; no money, no quality."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class FamilySavings:
    """Each result of a tool counts once, as it was when it first entered a request: `before` whole, `after` as shown.
    `triggered`: results that were shortened on that occasion."""

    family: str
    calls: int = 0
    triggered: int = 0
    before_tokens: int = 0
    after_tokens: int = 0

    @property
    def saved_percent(self) -> float:
        saved = self.before_tokens - self.after_tokens
        return round(100 * saved / self.before_tokens, 1) if self.before_tokens else 0.0

    def plus(self, other: FamilySavings) -> FamilySavings:
        return FamilySavings(
            self.family,
            self.calls + other.calls,
            self.triggered + other.triggered,
            self.before_tokens + other.before_tokens,
            self.after_tokens + other.after_tokens,
        )


@dataclass(frozen=True, slots=True)
class SessionSavings:
    """`identity_tokens`: the steps' requests had every source stayed whole, as the rows of the ledgers tell it;
    `active_tokens`: as they are under the policy in force. Both without the reserve, over `counted_steps` alone."""

    session_id: UUID
    title: str
    steps: int
    counted_steps: int
    identity_tokens: int
    active_tokens: int
    families: tuple[FamilySavings, ...]

    @property
    def results(self) -> FamilySavings:
        return summed("all", self.families)


@dataclass(frozen=True, slots=True)
class Savings:
    """Of one project under its active policy and the present engine."""

    project: str
    policy_number: int
    engine_version: str
    sessions: tuple[SessionSavings, ...]

    @property
    def families(self) -> tuple[FamilySavings, ...]:
        found = [one for session in self.sessions for one in session.families]
        names = sorted({one.family for one in found})
        return tuple(summed(name, (one for one in found if one.family == name)) for name in names)

    @property
    def results(self) -> FamilySavings:
        return summed("all", self.families)

    @property
    def identity_tokens(self) -> int:
        return sum(session.identity_tokens for session in self.sessions)

    @property
    def active_tokens(self) -> int:
        return sum(session.active_tokens for session in self.sessions)


def summed(name: str, parts: Iterable[FamilySavings]) -> FamilySavings:
    total = FamilySavings(name)
    for part in parts:
        total = total.plus(part)
    return total
