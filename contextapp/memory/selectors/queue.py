"""The reviewers' queue: what waits, in which order, grouped so that one look decides what belongs together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from contextapp.memory.models import MemoryRevision, MemoryState
from contextapp.memory.models.revisions import LIVE
from contextapp.memory.risk import SAY_WHY

PAGE = 50
SLA_HIGH, SLA_NORMAL = timedelta(hours=4), timedelta(days=2)
SOON = timedelta(days=7)
WAITING = (MemoryState.CANDIDATE, MemoryState.QUARANTINED, MemoryState.SUSPENDED)
FILTERS: dict[str, str | Promise] = {
    "": _("Waiting"),
    "mine": _("Open with me"),
    "unclaimed": _("Open with nobody"),
    "quarantine": _("Quarantine"),
    "two": _("Waiting for a second person"),
    "disputed": _("One for it, one against"),
    "conflicts": _("Conflicts"),
    "late": _("Past their time"),
    "expiring": _("Expiring within 7 days"),
    "approved": _("Approved"),
    "decided": _("Declined and ended"),
}
ORDERS = ("hard", "quick")


@dataclass(frozen=True, slots=True)
class QueueFilters:
    """`name` is one of FILTERS; `source` a session; `group` a claim's or conflict's key, as the queue's own links have it."""

    name: str = ""
    order: str = "hard"
    kind: str = ""
    scope: str = ""
    source: UUID | None = None
    text: str = ""
    reviewer: str = ""  # for `mine`


@dataclass(frozen=True, slots=True)
class Row:
    revision: MemoryRevision
    age: timedelta
    is_late: bool
    ticks: tuple[bool | None, ...]  # exists, hash, terms, no echo
    is_claimed: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of one decision: the same claim, or one conflict key. A group of one has no header."""

    key: str
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class QueuePage:
    groups: tuple[Group, ...]
    matching: int
    total: int
    next_offset: int | None

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for group in self.groups for row in group.rows)


def list_queue(
    project_ids: Collection[UUID], filters: QueueFilters, *, offset: int = 0, limit: int = PAGE
) -> QueuePage:
    """One page in the chosen order; rows of one decision stand together where the first of them stands."""
    everything = MemoryRevision.objects.filter(project_id__in=project_ids)
    matching = _filtered(everything, filters)
    found = list(_ordered(matching, filters)[offset : offset + limit + 1])
    page = found[:limit]
    return QueuePage(
        _grouped(page),
        matching.count(),
        everything.filter(state__in=WAITING).count(),
        offset + limit if len(found) > limit else None,
    )


def next_in_queue(
    project_ids: Collection[UUID], filters: QueueFilters, *, after: int | None, reviewer: str
) -> MemoryRevision | None:
    """What to look at after this record: the next free one in the order of the queue, from its start when nothing follows."""
    now = timezone.now()
    free = Q(claimed_by="") | Q(claimed_by=reviewer) | Q(claimed_until=None) | Q(claimed_until__lt=now)
    waiting = _ordered(_filtered(MemoryRevision.objects.filter(project_id__in=project_ids), filters), filters).filter(
        free
    )
    last = MemoryRevision.objects.filter(pk=after).first() if after is not None else None
    if last is not None:
        waiting = waiting.exclude(pk=last.pk)
        following = waiting.filter(_after(last, filters)).first()
        if following is not None:
            return following
    return waiting.first()


def _filtered(revisions: QuerySet[MemoryRevision], filters: QueueFilters) -> QuerySet[MemoryRevision]:
    now = timezone.now()
    by_name: dict[str, Q] = {
        "": Q(state__in=WAITING),
        "mine": Q(state__in=WAITING, claimed_by=filters.reviewer, claimed_until__gte=now),
        "unclaimed": Q(state__in=WAITING) & (Q(claimed_by="") | Q(claimed_until__lt=now)),
        "quarantine": Q(state=MemoryState.QUARANTINED),
        "two": Q(state=MemoryState.CANDIDATE) & ~Q(first_approved_by=""),
        "disputed": _disputed(),
        "conflicts": Q(state__in=WAITING) & ~Q(conflict_key=""),
        "late": Q(state__in=WAITING)
        & (Q(risk__gte=SAY_WHY, created_at__lt=now - SLA_HIGH) | Q(created_at__lt=now - SLA_NORMAL)),
        "expiring": Q(state=MemoryState.APPROVED, valid_until__lt=now + SOON),
        "approved": Q(state=MemoryState.APPROVED),
        "decided": ~Q(state__in=LIVE),
    }
    found = revisions.filter(by_name.get(filters.name, by_name[""]))
    if filters.kind:
        found = found.filter(kind=filters.kind)
    if filters.scope:
        found = found.filter(scope=filters.scope)
    if filters.source is not None:
        found = found.filter(Q(proposed_session=filters.source) | Q(evidence__session_id=filters.source)).distinct()
    if filters.text:
        found = found.filter(shown__icontains=filters.text.replace("\0", ""))
    return found.select_related("project")


def _disputed() -> Q:
    """Approved once and then declined by another person, before it was ever in force."""
    declined = Q(state__in=(MemoryState.REJECTED, MemoryState.QUARANTINED), last_verified_at=None)
    return declined & ~Q(first_approved_by="") & ~Q(decided_by="") & ~Q(decided_by=F("first_approved_by"))


def _ordered(revisions: QuerySet[MemoryRevision], filters: QueueFilters) -> QuerySet[MemoryRevision]:
    if filters.name in ("approved", "decided"):
        return revisions.order_by("-changed_at", "-id")
    if filters.name == "expiring":
        return revisions.order_by("valid_until", "id")
    return revisions.order_by("risk" if filters.order == "quick" else "-risk", "created_at", "id")


def _after(last: MemoryRevision, filters: QueueFilters) -> Q:
    same = Q(risk=last.risk) & (Q(created_at__gt=last.created_at) | Q(created_at=last.created_at, id__gt=last.pk))
    if filters.name in ("approved", "decided"):
        return Q(changed_at__lt=last.changed_at) | Q(changed_at=last.changed_at, id__lt=last.pk)
    return (Q(risk__gt=last.risk) if filters.order == "quick" else Q(risk__lt=last.risk)) | same


def _grouped(revisions: Sequence[MemoryRevision]) -> tuple[Group, ...]:
    now = timezone.now()
    groups: dict[str, Group] = {}
    for revision in revisions:
        key = _group_key(revision)
        row = Row(
            revision, now - revision.created_at, _is_late(revision, now), _ticks(revision), _is_claimed(revision, now)
        )
        known = groups.get(key)
        groups[key] = replace(known, rows=(*known.rows, row)) if known else Group(key, _title(revision), (row,))
    return tuple(groups.values())


def _group_key(revision: MemoryRevision) -> str:
    return (
        f"conflict:{revision.conflict_key}"
        if revision.conflict_key
        else f"claim:{bytes(revision.claim_key).hex()[:16]}"
    )


def _title(revision: MemoryRevision) -> str:
    return revision.conflict_key or revision.shown[:80]


def _is_late(revision: MemoryRevision, now: datetime) -> bool:
    if revision.state not in WAITING:
        return False
    return revision.created_at < now - (SLA_HIGH if revision.risk >= SAY_WHY else SLA_NORMAL)


def _is_claimed(revision: MemoryRevision, now: datetime) -> bool:
    return bool(revision.claimed_by) and revision.claimed_until is not None and revision.claimed_until >= now


def _ticks(revision: MemoryRevision) -> tuple[bool | None, ...]:
    checks = revision.evidence_checks
    echo = checks.get("echo")
    return (checks.get("exists"), checks.get("hash"), checks.get("terms"), None if echo is None else not echo)
