"""What a handler gets of its job: the payload, progress, and whether the lease is still held. It never ends a job."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models.functions import Now

from contextapp.jobs.models import Job, JobState

LEASE = timedelta(minutes=2)
PROGRESS_SECONDS = 0.5


class LeaseLost(Exception):
    """Another worker took the job, or it was cancelled; whatever is done from here on must not be kept."""


class JobHandle:
    """Writes are fenced: they change the row only while this worker's lease is on it."""

    def __init__(self, job: Job, owner: str) -> None:
        self.id: int = job.pk
        self.kind = job.kind
        self.key = job.key
        self.project_id: UUID | None = job.project_id
        self.payload: dict[str, Any] = job.payload  # JSON of the kind's own shape
        self.attempt = job.attempts
        self._owner = owner
        self._written_at = 0.0
        self._lost = threading.Event()

    def progress(self, done: int, total: int, note: str = "") -> None:
        """Show how far it is, and hold the lease; written at most twice a second. LeaseLost when it is ours no more."""
        now = time.monotonic()
        if self._lost.is_set():
            raise LeaseLost(f"job {self.id} belongs to another worker")
        if now - self._written_at < PROGRESS_SECONDS and done < total:
            return
        self._written_at = now
        if not self._renew(progress_done=done, progress_total=total, progress_note=note[:300]):
            raise LeaseLost(f"job {self.id} belongs to another worker")

    def still_mine(self) -> bool:
        """Whether the lease is held, and if so renew it. Ask before anything that can't be undone."""
        return not self._lost.is_set() and self._renew()

    def _renew(self, **columns: Any) -> bool:
        held = Job.objects.filter(pk=self.id, state=JobState.RUNNING, lease_owner=self._owner)
        if held.update(lease_until=Now() + LEASE, **columns) == 1:
            return True
        self._lost.set()
        return False
