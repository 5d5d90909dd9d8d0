"""Which memory the present work calls for: what it asks, how well each record answers, who stays below the floor or over the
number. Knows no state, scope or time; those gates came before."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from contextapp.engine.inputs import BuildInputs, MemoryRevision
from contextapp.engine.policy import Policy
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import ranking
from contextapp.engine.sources.ranking import Match, Statistics
from contextapp.engine.sources.relevance import IDENTIFIER, identifiers, record_tokens, tokens
from contextapp.engine.sources.validity import instant

GOAL_CHARS, LATEST_CHARS, FAILURE_CHARS, PATHS_CHARS, NAMED_CHARS = 400, 600, 300, 400, 300  # 2,000 together
QUERY_PATHS = 20
SHARED_TOKENS = 2  # fewer are chance, unless one of them is an identifier
# A match counts most; then who says so, how sure they were, and how long ago. Use alone earns nothing: it can be fed.
MATCH, TRUST, CONFIDENCE, RECENCY = 0.6, 0.2, 0.1, 0.1
WORDS, MEANING = 0.7, 0.3  # of a match, where a similarity is known
SIMILAR = 0.6  # as near as that is no chance, whatever words are shared
HALF_LIFE_DAYS = {"todo": 14, "state": 14, "fact": 180, "decision": 365, "procedure": 365, "preference": 365}
DAY_SECONDS = 86_400
SILENT = "score 0.000; shares no word"
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
    found = ranking.matches(asked, statistics(tuple(revision.claim for revision in revisions)))
    best = max((match.score for match in found), default=0.0)
    now = _seconds(inputs.as_of, None)
    scored: list[tuple[float, float, str, int]] = []
    silent: list[MemoryRevision] = []
    for place, (revision, match) in enumerate(zip(revisions, found, strict=True)):
        if match.shared or revision.kind in ALWAYS or _is_similar(revision):
            dated = _seconds(revision.last_verified_at, revision.valid_from)
            scored.append((-_final(revision, match, best, now - dated), -dated, revision.reference, place))
        else:
            silent.append(revision)
    scored.sort()
    silent.sort(key=attrgetter("reference"))
    admitted: list[Judged] = []
    refused: list[Judged] = []
    said: dict[frozenset[str], str] = {}
    for minus, _since, _reference, place in scored:
        revision, match = revisions[place], found[place]
        refusal, other = _floor(revision, match, best, asked, policy), ""
        if refusal is None:
            key = frozenset(tokens(revision.claim)) or frozenset({revision.claim})
            if key in said:
                refusal, other = Reason.DUPLICATE, said[key]
            elif len(admitted) >= policy.limits.memory_records:
                refusal, other = Reason.OVER_MAXIMUM, admitted[-1].revision.reference if admitted else ""
        if refusal is None:
            said[key] = revision.reference
            admitted.append(Judged(revision, None, _detail(-minus, match, revision.similarity)))
        else:
            refused.append(Judged(revision, refusal, _detail(-minus, match, revision.similarity), other))
    return [*admitted, *refused, *(Judged(revision, Reason.NOT_RELEVANT, SILENT) for revision in silent)]


@lru_cache(maxsize=8)
def statistics(claims: tuple[str, ...]) -> Statistics:
    """Of the records that compete; kept, since a step later they are the same."""
    return ranking.statistics([record_tokens(claim) for claim in claims])


def _floor(
    revision: MemoryRevision, match: Match, best: float, asked: dict[str, float], policy: Policy
) -> Reason | None:
    """Nothing rather than the best of nothing."""
    if revision.kind in ALWAYS or _is_similar(revision):
        return None
    if not match.shared:
        return Reason.NOT_RELEVANT
    is_chance = len(match.shared) < min(SHARED_TOKENS, len(asked)) and not match.has_identifier
    return Reason.BELOW_FLOOR if is_chance or match.score * 100 < best * policy.limits.memory_floor else None


def _final(revision: MemoryRevision, match: Match, best: float, age_seconds: float) -> float:
    """Trust is the same for all: whatever gets here was approved by a person."""
    words = match.score / best if best else 0.0
    told = words if revision.similarity is None else WORDS * words + MEANING * revision.similarity
    if not told:
        return 0.0
    half_life = HALF_LIFE_DAYS.get(revision.kind, HALF_LIFE_DAYS["fact"])
    recency = 0.5 ** (max(0, age_seconds // DAY_SECONDS) / half_life) if math.isfinite(age_seconds) else 0.0
    weight = MATCH + TRUST + CONFIDENCE * min(1.0, max(0.0, revision.confidence)) + RECENCY * recency
    return round(told * weight, ranking.DIGITS)


def _is_similar(revision: MemoryRevision) -> bool:
    return revision.similarity is not None and revision.similarity >= SIMILAR


@lru_cache(maxsize=16_384)
def _seconds(verified: str | None, begun: str | None) -> float:
    """The instant when it was last verified, else since when it holds; before all others without one."""
    dated = instant(verified) or instant(begun)
    return dated.timestamp() if dated else -math.inf


def _detail(score: float, match: Match, similarity: float | None) -> str:
    near = "" if similarity is None else f"; similarity {similarity:.3f}"
    if match.shared:
        return f"score {score:.3f}; shares {', '.join(match.shared[:8])}{near}"
    return f"score {score:.3f}; shares no word{near}" if near else SILENT
