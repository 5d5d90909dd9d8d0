"""Jobs as pages show them. Takes the projects of the reader and returns theirs only."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from contextapp.jobs.models import Job, JobState


def get_job(kind: str, key: str) -> Job | None:
    return Job.objects.filter(kind=kind, key=key).first()


def open_jobs(project_ids: Collection[UUID], kind: str = "") -> tuple[Job, ...]:
    """What waits or runs, oldest first."""
    found = Job.objects.filter(project_id__in=project_ids, state__in=[JobState.QUEUED, JobState.RUNNING])
    return tuple((found.filter(kind=kind) if kind else found).order_by("created_at"))


def open_job_count(project_ids: Collection[UUID]) -> int:
    return Job.objects.filter(project_id__in=project_ids, state__in=[JobState.QUEUED, JobState.RUNNING]).count()


def dead_jobs(project_ids: Collection[UUID]) -> tuple[Job, ...]:
    """What failed for good and waits for a person."""
    return tuple(Job.objects.filter(project_id__in=project_ids, state=JobState.DEAD).order_by("-finished_at"))
