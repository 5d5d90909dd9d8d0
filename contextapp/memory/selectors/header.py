"""The figures above the queue: how much waits, how long, by class, and what was done today."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from contextapp.accounts.models import Project
from contextapp.memory.models import MemoryReview, MemoryRevision, MemoryState, MemoryUse
from contextapp.memory.risk import LOW, READ_EVIDENCE, SAY_WHY, TWO_PEOPLE
from contextapp.memory.selectors.queue import WAITING
from contextapp.memory.transitions import INVERSE, UNDO_FOR

VOTES = ("approve", "approve_first", "reject", "quarantine", "release", "revoke")


@dataclass(frozen=True, slots=True)
class DeskHeader:
    """`by_class`: waiting records by risk, lowest first; ages are None when nothing waits."""

    waiting: int
    by_class: tuple[int, int, int, int]
    quarantined: int
    oldest: timedelta | None
    median: timedelta | None
    decided_today: int
    decided_by_me_today: int


def desk_header(project_ids: Collection[UUID], reviewer: str) -> DeskHeader:
    now = timezone.now()
    waiting = MemoryRevision.objects.filter(project_id__in=project_ids, state__in=WAITING)
    counted = waiting.aggregate(
        **{f"class_{level}": Count("id", filter=Q(risk=level)) for level in (LOW, READ_EVIDENCE, SAY_WHY, TWO_PEOPLE)},
        quarantined=Count("id", filter=Q(state=MemoryState.QUARANTINED)),
        waiting=Count("id"),
    )
    ages = waiting.order_by("created_at")
    oldest = ages.values_list("created_at", flat=True).first()
    middle = ages.values_list("created_at", flat=True)[(counted["waiting"] - 1) // 2] if counted["waiting"] else None
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    today = MemoryReview.objects.filter(memory__project_id__in=project_ids, verdict__in=VOTES, at__gte=midnight)
    return DeskHeader(
        waiting=counted["waiting"],
        by_class=tuple(counted[f"class_{level}"] for level in (LOW, READ_EVIDENCE, SAY_WHY, TWO_PEOPLE)),
        quarantined=counted["quarantined"],
        oldest=None if oldest is None else now - oldest,
        median=None if middle is None else now - middle,
        decided_today=today.count(),
        decided_by_me_today=today.filter(reviewer=reviewer).count(),
    )


def waiting_count(projects: QuerySet[Project]) -> int:
    """How many records wait in these projects, in one query."""
    return MemoryRevision.objects.filter(project__in=projects.order_by().values("pk"), state__in=WAITING).count()


def undoable(project_ids: Collection[UUID], reviewer: str) -> MemoryRevision | None:
    """The record of one's own last decision, while it is the last one on it, young enough, and no model got it."""
    own = MemoryReview.objects.filter(
        memory__project_id__in=project_ids,
        reviewer=reviewer,
        verdict__in=(*INVERSE, "approve_first"),
        at__gte=timezone.now() - UNDO_FOR,
    )
    later = MemoryReview.objects.filter(memory=OuterRef("memory"), pk__gt=OuterRef("pk")).exclude(verdict="skip")
    used = MemoryUse.objects.filter(memory=OuterRef("memory"), is_included=True, at__gte=OuterRef("at"))
    last = own.filter(~Exists(later), ~Exists(used)).select_related("memory").order_by("-id").first()
    return None if last is None else last.memory


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """What one person did in one round: how many of each verdict, and the records by verdict, the newest first."""

    started: datetime | None
    counts: tuple[tuple[str, int], ...]
    decided: int
    skipped: int
    median_seconds: float | None
    reviews: tuple[MemoryReview, ...]


def round_summary(project_ids: Collection[UUID], reviewer: str, started: datetime | None) -> RoundSummary:
    """Since `started`; None: today."""
    since = started or timezone.localtime(timezone.now()).replace(hour=0, minute=0, second=0, microsecond=0)
    own = MemoryReview.objects.filter(memory__project_id__in=project_ids, reviewer=reviewer, at__gte=since)
    reviews = tuple(own.select_related("memory").order_by("-id")[:200])
    counted: dict[str, int] = {}
    for review in reviews:
        counted[review.verdict] = counted.get(review.verdict, 0) + 1
    seconds = [review.ms_on_screen / 1000 for review in reviews if review.ms_on_screen is not None]
    return RoundSummary(
        started=started,
        counts=tuple(sorted(counted.items())),
        decided=sum(number for verdict, number in counted.items() if verdict in VOTES),
        skipped=counted.get("skip", 0),
        median_seconds=median(seconds) if seconds else None,
        reviews=reviews,
    )
