"""What time does to records: approved ones expire, candidates that nobody decided lapse. A sweep writes the events; whether a
record holds at an instant is decided when it is read, never here."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from contextapp.engine.injection.verdict import DETECTOR_VERSION
from contextapp.jobs.handle import JobHandle
from contextapp.memory.errors import AlreadyDecided
from contextapp.memory.models import MemoryRevision, MemoryState
from contextapp.memory.scanning import scan
from contextapp.memory.services import moving
from contextapp.memory.services.embedding import request_embedding

LAPSES_AFTER = timedelta(days=30)
SYSTEM = "system"
AGE = "memory.age"


def sweep(*, now: datetime | None = None) -> dict[str, int]:
    """How many expired and lapsed. Constraints never expire by themselves unless somebody gave them an end."""
    instant = now or timezone.now()
    approved = MemoryRevision.objects.filter(
        state__in=[MemoryState.APPROVED, MemoryState.SUSPENDED], valid_until__lte=instant
    )
    waiting = MemoryRevision.objects.filter(state=MemoryState.CANDIDATE).filter(
        Q(created_at__lte=instant - LAPSES_AFTER) | Q(valid_until__lte=instant)
    )
    return {
        "expired": sum(_move(revision, "expire", "its end has passed", instant) for revision in approved),
        "lapsed": sum(_move(revision, "lapse", "nobody decided in 30 days", instant) for revision in waiting),
    }


def rescan(*, detector_version: str) -> dict[str, int]:
    """Judge again what an older detector judged. What is approved and looks like an attack now is suspended, not believed."""
    counted = {"scanned": 0, "suspended": 0, "quarantined": 0}
    live = (MemoryState.CANDIDATE, MemoryState.APPROVED, MemoryState.SUSPENDED)
    for revision in (
        MemoryRevision.objects.filter(state__in=live)
        .exclude(detector_version=detector_version)
        .select_related("project")
    ):
        judged = scan(revision.claim, revision.source_trust)
        with transaction.atomic():
            moving.change(
                revision, "scanned", by=SYSTEM, detector_version=judged.detector_version, verdict=judged.verdict,
                findings=list(judged.findings),
            )  # fmt: skip
            counted["scanned"] += 1
            if judged.is_quarantined and revision.state == MemoryState.APPROVED:
                counted["suspended"] += _move(revision, "suspend", "the detectors object since", timezone.now())
            elif judged.is_quarantined and revision.state == MemoryState.CANDIDATE:
                counted["quarantined"] += _move(revision, "quarantine", "the detectors object since", timezone.now())
    return counted


def age_job(job: JobHandle) -> None:
    """Every hour: what expired, what lapsed, and records that an older detector judged."""
    sweep()
    rescan(detector_version=DETECTOR_VERSION)
    for project_id in MemoryRevision.objects.filter(state=MemoryState.APPROVED).values_list("project_id").distinct():
        request_embedding(project_id=project_id[0])
    job.progress(1, 1)


def _move(revision: MemoryRevision, action: str, reason: str, instant: datetime) -> int:
    try:
        moving.move(revision, action, by=SYSTEM, decided_by=SYSTEM, decided_at=instant, reason=reason)
    except AlreadyDecided:
        return 0  # a person was quicker
    return 1
