"""Retention: what a project keeps no longer than its days say. The same erasure, with the policy as its reason.

Approved memory stays: people made it the project's own. Governance streams stay: they hold decisions, not transcripts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import DateTimeField, Min, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from contextapp.accounts.models import Project
from contextapp.accounts.services import record
from contextapp.eventlog.eraser import as_eraser
from contextapp.eventlog.models import Event, Session
from contextapp.eventlog.selectors.sessions import runs_of
from contextapp.eventlog.services.erasure import erase_session
from contextapp.jobs.handle import JobHandle

RETENTION = "eventlog.retention"
ACTOR = "system:retention"


@dataclass(frozen=True, slots=True)
class RetentionPlan:
    """What the policy would erase now. `days` None: the project keeps everything."""

    project_id: UUID
    days: int | None
    before: datetime | None
    sessions: int
    events: int
    payload_bytes: int
    oldest: datetime | None


def retention_plan(project: Project, *, days: int | None = None, now: datetime | None = None) -> RetentionPlan:
    """A dry run; `days` in place of the project's own shows what another number would do."""
    chosen = project.retention_days if days is None else days
    if chosen is None:
        return RetentionPlan(project.id, None, None, 0, 0, 0, None)
    before = (now or timezone.now()) - timedelta(days=chosen)
    due = _due(project.id, before)
    ids = list(due.values_list("id", flat=True))
    events = Event.objects.filter(session_id__in=ids)
    figures = events.aggregate(bytes=Sum("payload_len"), oldest=Min("recorded_at"))
    return RetentionPlan(project.id, chosen, before, len(ids), events.count(), figures["bytes"] or 0, figures["oldest"])


@as_eraser()
def apply_retention(*, project_id: UUID, now: datetime | None = None) -> RetentionPlan:
    """Erase what is due; each session in a transaction of its own, so that a stop in between leaves whole ones."""
    project = Project.objects.get(id=project_id)
    plan = retention_plan(project, now=now)
    if plan.before is None:
        return plan
    for session_id in list(_due(project_id, plan.before).values_list("id", flat=True)):
        erase_session(session_id=session_id, reason=f"retention: {plan.days} days", actor=ACTOR)
    if plan.sessions:
        after = {"sessions": plan.sessions, "events": plan.events, "days": plan.days}
        record(project=project, actor=ACTOR, action="retention.applied", target=f"project:{project.slug}", after=after)
    return plan


def retention_job(job: JobHandle) -> None:
    """Once a day: every project that has a policy."""
    projects = list(Project.objects.exclude(retention_days=None).values_list("id", flat=True))
    for done, project_id in enumerate(projects):
        apply_retention(project_id=project_id)
        job.progress(done + 1, len(projects))


def _due(project_id: UUID, before: datetime) -> QuerySet[Session]:
    """Sessions whose newest event was recorded before that instant; ones without events count from when they were opened."""
    newest = Event.objects.filter(session_id=OuterRef("id")).order_by("-seq").values("recorded_at")[:1]
    last: Coalesce = Coalesce(Subquery(newest, output_field=DateTimeField()), "created_at")
    found = runs_of([project_id]).filter(erased_at=None).annotate(last_recorded=last)
    due: QuerySet[Session] = found.filter(last_recorded__lt=before)
    return due
