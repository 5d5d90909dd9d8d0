"""Which memory the present work calls for: what it asks, how well each record answers, who stays below the floor or over the
number. Knows no state, scope or time; those gates came before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from contextapp.engine.inputs import BuildInputs, MemoryRevision
from contextapp.engine.policy import Policy
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import ranking
from contextapp.engine.sources.ranking import Match
from contextapp.engine.sources.relevance import IDENTIFIER, identifiers, record_tokens, tokens
from contextapp.engine.sources.validity import instant

GOAL_CHARS, LATEST_CHARS, FAILURE_CHARS, PATHS_CHARS, NAMED_CHARS = 400, 600, 300, 400, 300  # 2,000 together
QUERY_PATHS = 20
SHARED_TOKENS = 2  # fewer are chance, unless one of them is an identifier
# A match counts most; then who says so, how sure they were, and how long ago. Use alone earns nothing: it can be fed.
MATCH, TRUST, CONFIDENCE, RECENCY = 0.6, 0.2, 0.1, 0.1
HALF_LIFE_DAYS = {"todo": 14, "state": 14, "fact": 180, "decision": 365, "procedure": 365, "preference": 365}
_NEVER = datetime.min.replace(tzinfo=UTC)
ALWAYS = frozenset({"preference"})  # they hold for any goal: no floor, but they compete


@dataclass(frozen=True, slots=True)
class Judged:
    """A record, the reason it stays out (None: it may enter), and what the ledger says about it."""

    revision: MemoryRevision
    refusal: Reason | None
    detail: str
    displaced_by: str = ""


def query(inputs: BuildInputs) -> dict[str, float]:
    """Weight by token: of what the user asked first and last, the files changed, the latest failure, and the identifiers
    further down in these texts. Each part has its own room, so that none of them starves another."""
    state = inputs.state
    goal, latest = (state.goal.text, state.goal.latest_text) if state.goal else ("", "")
    goal = "" if goal == latest else goal
    failure = state.latest_failure
    paths = [file.path for file in state.files if file.modified_seq][-QUERY_PATHS:]
    named = [
        *identifiers(failure[FAILURE_CHARS:]), *identifiers(latest[LATEST_CHARS:]), *identifiers(goal[GOAL_CHARS:]),
    ]  # fmt: skip
    weights: dict[str, float] = {}
    _add(weights, tokens(latest[:LATEST_CHARS]), 2.0)
    _add(weights, tokens(goal[:GOAL_CHARS]), 2.0)
    for token in dict.fromkeys(tokens(failure[:FAILURE_CHARS])):
        _add(weights, (token,), 3.0 if token.startswith(IDENTIFIER) else 1.0)
    _add(weights, tokens(_within(PATHS_CHARS, reversed(paths))), 3.0)
    _add(weights, tokens(_within(NAMED_CHARS, named)), 2.0)
    return weights


def _add(weights: dict[str, float], found: Iterable[str], weight: float) -> None:
    for token in dict.fromkeys(found):
        weights[token] = weights.get(token, 0.0) + weight


def _within(room: int, names: Iterable[str]) -> str:
    """As many whole names as there is room for; of one that is longer its end, which tells more than its beginning."""
    kept: list[str] = []
    for name in names:
        end = name[-room:]
        if len(end) >= room and kept:
            break
        kept.append(end)
        room -= len(end) + 1
        if room <= 0:
            break
    return " ".join(kept)


def compete(revisions: Sequence[MemoryRevision], inputs: BuildInputs, policy: Policy) -> list[Judged]:
    """The admitted best first, at most the policy's number of them, then the others. Of equal ones the oldest goes first."""
    if not revisions:
        return []
    asked = query(inputs)
    found = ranking.matches(asked, [record_tokens(revision.claim) for revision in revisions])
    best = max((match.score for match in found), default=0.0)
    scored = [
        (_final(revision, match, best, inputs.as_of), revision, match)
        for revision, match in zip(revisions, found, strict=True)
    ]
    scored.sort(key=lambda entry: entry[1].reference)
    scored.sort(key=lambda entry: _dated(entry[1]) or _NEVER, reverse=True)
    scored.sort(key=lambda entry: entry[0], reverse=True)
    admitted: list[Judged] = []
    refused: list[Judged] = []
    said: dict[frozenset[str], str] = {}
    for score, revision, match in scored:
        refusal = _floor(revision, match, best, asked, policy)
        key = frozenset(tokens(revision.claim)) or frozenset({revision.claim})
        if refusal is None and key in said:
            refusal = Reason.DUPLICATE
        if refusal is None and len(admitted) >= policy.limits.memory_records:
            refusal = Reason.OVER_MAXIMUM
        if refusal is None:
            said[key] = revision.reference
            admitted.append(Judged(revision, None, _detail(score, match)))
            continue
        last = admitted[-1].revision.reference if refusal == Reason.OVER_MAXIMUM and admitted else ""
        refused.append(Judged(revision, refusal, _detail(score, match), said.get(key, last)))
    return [*admitted, *refused]


def _floor(
    revision: MemoryRevision, match: Match, best: float, asked: dict[str, float], policy: Policy
) -> Reason | None:
    """Nothing rather than the best of nothing."""
    if revision.kind in ALWAYS:
        return None
    if not match.shared:
        return Reason.NOT_RELEVANT
    is_chance = len(match.shared) < min(SHARED_TOKENS, len(asked)) and not match.has_identifier
    return Reason.BELOW_FLOOR if is_chance or match.score * 100 < best * policy.limits.memory_floor else None


def _final(revision: MemoryRevision, match: Match, best: float, as_of: str) -> float:
    """Trust is the same for all: whatever gets here was approved by a person."""
    matched = match.score / best if best else 0.0
    half_life = HALF_LIFE_DAYS.get(revision.kind, HALF_LIFE_DAYS["fact"])
    now, then = instant(as_of), _dated(revision)
    days = max(0, (now - then).days) if now and then else None
    recency = 0.0 if days is None else 0.5 ** (days / half_life)
    weight = MATCH + TRUST + CONFIDENCE * min(1.0, max(0.0, revision.confidence)) + RECENCY * recency
    return round(matched * weight, ranking.DIGITS)


def _dated(revision: MemoryRevision) -> datetime | None:
    return instant(revision.last_verified_at) or instant(revision.valid_from)


def _detail(score: float, match: Match) -> str:
    shared = ", ".join(match.shared[:8])
    return f"score {score:.3f}; shares {shared}" if shared else f"score {score:.3f}; shares no word"
