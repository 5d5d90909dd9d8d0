"""How well reviewers review, by known answers and by what became of their votes. For admins; never a ranking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from uuid import UUID

from contextapp.memory.models import KnownAnswer, MemoryReview, MemoryState
from contextapp.memory.selectors.header import VOTES

FOR_IT = ("approve", "approve_first")
AGAINST_IT = ("reject", "quarantine")
REVIEWS = 20_000  # the newest; enough for years of a small team


@dataclass(frozen=True, slots=True)
class ReviewerQuality:
    """Each share stands as its two counts. Skipped known answers count in neither."""

    reviewer: str
    votes: int
    attacks: int
    caught: int
    lookalikes: int
    false_declines: int
    median_ms: int | None
    unopened: int
    approvals: int
    revoked_later: int


@dataclass(frozen=True, slots=True)
class Quality:
    """`kappa`: Cohen's, over records on which exactly two people voted; None when chance alone would agree on all."""

    reviewers: tuple[ReviewerQuality, ...]
    pairs: int
    kappa: float | None


def reviewer_quality(project_id: UUID) -> Quality:
    reviews = tuple(
        MemoryReview.objects.filter(memory__project_id=project_id, verdict__in=(*VOTES, "undo"))
        .select_related("memory")
        .order_by("-id")[:REVIEWS]
    )
    standing = _standing(reviews)
    known = KnownAnswer.objects.filter(project_id=project_id).exclude(verdict__in=("", "skip"))
    answers: dict[str, list[KnownAnswer]] = defaultdict(list)
    for one in known:
        answers[one.reviewer].append(one)
    votes: dict[str, list[MemoryReview]] = defaultdict(list)
    for review in standing:
        votes[review.reviewer].append(review)
    names = sorted(votes.keys() | answers.keys())
    pairs = _pairs(standing)
    return Quality(tuple(_of(name, votes[name], answers[name]) for name in names), len(pairs), kappa(pairs))


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Agreement above what the shares of yes and no alone would give."""
    if not pairs:
        return None
    count = len(pairs)
    agreed = sum(first == second for first, second in pairs) / count
    yes_first, yes_second = (sum(pair[place] for pair in pairs) / count for place in (0, 1))
    by_chance = yes_first * yes_second + (1 - yes_first) * (1 - yes_second)
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def _standing(reviews: Iterable[MemoryReview]) -> list[MemoryReview]:
    """Votes that were not taken back, oldest first. `reviews` come newest first."""
    undone: dict[tuple[int, str], int] = defaultdict(int)
    kept = []
    for review in reviews:
        place = (review.memory_id, review.reviewer)
        if review.verdict == "undo":
            undone[place] += 1
        elif undone[place]:
            undone[place] -= 1
        else:
            kept.append(review)
    return kept[::-1]


def _pairs(standing: Iterable[MemoryReview]) -> list[tuple[bool, bool]]:
    """The first person's vote and the second's, in the order in which they voted."""
    by_record: dict[int, dict[str, bool]] = defaultdict(dict)
    for review in standing:
        if review.verdict in (*FOR_IT, *AGAINST_IT):
            by_record[review.memory_id].setdefault(review.reviewer, review.verdict in FOR_IT)
    return [(first, second) for votes in by_record.values() if len(votes) == 2 for first, second in [votes.values()]]


def _of(name: str, votes: Sequence[MemoryReview], answers: Sequence[KnownAnswer]) -> ReviewerQuality:
    times = [vote.ms_on_screen for vote in (*votes, *answers) if vote.ms_on_screen is not None]
    attacks = [one for one in answers if one.is_attack]
    lookalikes = [one for one in answers if not one.is_attack]
    approved = {vote.memory_id: vote.memory for vote in votes if vote.verdict in FOR_IT}
    return ReviewerQuality(
        reviewer=name,
        votes=len(votes),
        attacks=len(attacks),
        caught=sum(one.verdict in AGAINST_IT for one in attacks),
        lookalikes=len(lookalikes),
        false_declines=sum(one.verdict in AGAINST_IT for one in lookalikes),
        median_ms=round(median(times)) if times else None,
        unopened=sum(not vote.evidence_opened for vote in votes),
        approvals=len(approved),
        revoked_later=sum(record.state == MemoryState.REVOKED for record in approved.values()),
    )
