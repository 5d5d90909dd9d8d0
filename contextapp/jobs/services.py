"""Puts work on the list, claims it, ends it. The row is the truth; the broker only carries its id and may lose it."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import traceback
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import psycopg
from celery import current_app
from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from contextapp.accounts.services import record
from contextapp.jobs.handle import LEASE, JobHandle, LeaseLost
from contextapp.jobs.models import ATTEMPTS_LIMIT, Job, JobState
from contextapp.jobs.registry import handler_for

logger = logging.getLogger(__name__)

RUN_TASK = "contextapp.jobs.tasks.run"  # by name: the task stands above this module
SWEEP_LIMIT = 100  # a long backlog is not doubled by its own sweeper
RENEW_SECONDS = LEASE.total_seconds() / 4
RETRY_DELAY = timedelta(seconds=10)  # times the attempts so far
BROKER_DELAY_SECONDS = 30.0  # what is due later waits in the table alone
CLOCK_SECONDS = 0.1
WAKE_UP_LOST = timedelta(seconds=20)  # a job that still waits after this has lost its message
_WAITING = (
    "SELECT id, kind, key, payload::text, state, not_before FROM jobs_job WHERE kind = %s AND key = %s AND state = %s"
)
_CLEARED: dict[str, Any] = {
    "state": JobState.QUEUED,
    "attempts": 0,
    "lease_owner": "",
    "lease_until": None,
    "last_error": "",
    "progress_done": 0,
    "progress_total": 0,
    "progress_note": "",
    "started_at": None,
    "finished_at": None,
    "wanted_again": False,
}


def enqueue(
    *,
    kind: str,
    key: str,
    payload: Mapping[str, Any],
    project_id: UUID | None = None,
    not_before: datetime | None = None,
    again: bool = False,
) -> Job:
    """One row per (kind, key): one that waits or runs is returned as it is, one that ended is put on the list again. `again`:
    one that runs is done once more when it ends, for work that may just have read past what is new.

    The row belongs to the caller's transaction; the wake-up goes out when it commits. Any: JSON of the kind's own shape.
    """
    if (waiting := _waiting(kind, key)) is not None:  # the usual case where much arrives: one question, no transaction
        return waiting
    fresh = {"payload": dict(payload), "project_id": project_id, "not_before": not_before}
    with transaction.atomic():
        job, is_new = Job.objects.get_or_create(kind=kind, key=key, defaults=fresh)
        if not is_new:
            ended = Job.objects.filter(pk=job.pk).exclude(state__in=[JobState.QUEUED, JobState.RUNNING])
            if ended.update(created_at=timezone.now(), **fresh, **_CLEARED) == 0:
                if again:
                    Job.objects.filter(pk=job.pk, state=JobState.RUNNING).update(wanted_again=True)
                job.refresh_from_db()
                return job
            job.refresh_from_db()
        delay = 0.0 if not_before is None else max(0.0, (not_before - timezone.now()).total_seconds())
        if delay <= BROKER_DELAY_SECONDS:  # later ones are woken by the sweeper
            transaction.on_commit(partial(wake, job.pk, delay))
    return job


def _waiting(kind: str, key: str) -> Job | None:
    """By a statement that the server keeps prepared: where much arrives this is asked again and again."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        row = cursor.execute(_WAITING, (kind, key, JobState.QUEUED.value), binary=True).fetchone()
    if row is None:
        return None
    *columns, payload, state, not_before = row
    found = [*columns, json.loads(payload), state, not_before]
    return Job.from_db(connection.alias, ["id", "kind", "key", "payload", "state", "not_before"], found)


def retry(*, job_id: int, by: str) -> Job | None:
    """Put a job that ended on the list again, with all its attempts. None, and nothing done, for one that waits or runs."""
    with transaction.atomic():
        job = Job.objects.select_for_update(of=["self"]).select_related("project").get(pk=job_id)
        if job.state in (JobState.QUEUED, JobState.RUNNING):
            return None
        before = _told(job)
        Job.objects.filter(pk=job_id).update(created_at=timezone.now(), not_before=None, **_CLEARED)
        transaction.on_commit(partial(wake, job_id))
        return _recorded(job, "job.retried", before, by)


def cancel(*, job_id: int, by: str) -> Job | None:
    """A waiting job never starts; a running one loses its lease and stops at its next progress. None for one that ended."""
    with transaction.atomic():
        job = Job.objects.select_for_update(of=["self"]).select_related("project").get(pk=job_id)
        if job.state not in (JobState.QUEUED, JobState.RUNNING):
            return None
        before = _told(job)
        Job.objects.filter(pk=job_id).update(
            state=JobState.CANCELLED, lease_owner="", lease_until=None, finished_at=timezone.now(), wanted_again=False
        )
        return _recorded(job, "job.cancelled", before, by)


def wake(job_id: int, delay_seconds: float = 0.0) -> None:
    """Send the job's id to the workers. A broker that is down is logged and harmless: the sweeper sends it again."""
    try:
        countdown = (
            delay_seconds + CLOCK_SECONDS if delay_seconds else None
        )  # never before the row lets itself be claimed
        current_app.send_task(RUN_TASK, (job_id,), retry=False, countdown=countdown)
    except Exception as error:  # noqa: BLE001  each transport raises errors of its own; logged, and the row is safe
        logger.warning("job %s: the broker did not take the wake-up (%s); the sweeper will send it", job_id, error)


def run_job(job_id: int) -> bool:
    """Claim the job and do it. False when there was nothing to claim: another worker has it, or it has ended."""
    owner = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"[:100]
    job = _claim(job_id, owner)
    if job is None:
        return False
    handle = JobHandle(job, owner)
    try:
        with _Renewing(handle):
            handler_for(job.kind)(handle)
    except LeaseLost as error:
        logger.warning("job %s (%s): %s; its outcome is left to that worker", job_id, job.kind, error)
    except Exception as error:  # noqa: BLE001  the edge of a worker: recorded in the job's row
        _fail(job, owner, error)
    else:
        _finish(job, owner)
    return True


def run_now(job_id: int) -> Job:
    """Do the job in this process, for commands and tests."""
    run_job(job_id)
    return Job.objects.get(pk=job_id)


def sweep() -> int:
    """Send again what lost its worker or its wake-up; end what has used up its attempts. The number of wake-ups sent."""
    now = timezone.now()
    running = Job.objects.filter(state=JobState.RUNNING, lease_until__lt=now)
    running.filter(attempts__gte=ATTEMPTS_LIMIT).update(
        state=JobState.DEAD,
        finished_at=now,
        lease_owner="",
        lease_until=None,
        last_error=f"the worker stopped {ATTEMPTS_LIMIT} times before the job was done",
    )
    running.update(state=JobState.QUEUED, lease_owner="", lease_until=None)
    waiting = Job.objects.filter(state=JobState.QUEUED, created_at__lt=now - WAKE_UP_LOST)
    due = waiting.filter(Q(not_before=None) | Q(not_before__lte=now)).order_by("created_at")
    ids = list(due.values_list("pk", flat=True)[:SWEEP_LIMIT])
    for job_id in ids:
        wake(job_id)
    return len(ids)


def _claim(job_id: int, owner: str) -> Job | None:
    now = timezone.now()
    is_free = Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING, lease_until__lt=now)
    free = Job.objects.filter(is_free, Q(not_before=None) | Q(not_before__lte=now), pk=job_id)
    claimed = free.filter(attempts__lt=ATTEMPTS_LIMIT).update(
        state=JobState.RUNNING,
        attempts=F("attempts") + 1,
        lease_owner=owner,
        lease_until=Now() + LEASE,
        started_at=now,
        finished_at=None,
    )
    return Job.objects.get(pk=job_id) if claimed == 1 else None


def _finish(job: Job, owner: str) -> None:
    fresh = {**_CLEARED, "not_before": None}
    if _held(job, owner).filter(wanted_again=True).update(created_at=timezone.now(), **fresh) == 1:
        wake(job.pk)
        return
    _held(job, owner).update(
        state=JobState.DONE, finished_at=timezone.now(), lease_owner="", lease_until=None, last_error=""
    )


def _fail(job: Job, owner: str, error: Exception) -> None:
    """Later again, or dead after the last attempt; the error is kept where people see it."""
    text = "".join(traceback.format_exception(error))[-4000:].replace("\0", "�")
    logger.error("job %s (%s %s), attempt %s failed: %r", job.pk, job.kind, job.key, job.attempts, error)
    is_last = job.attempts >= ATTEMPTS_LIMIT
    _held(job, owner).update(
        state=JobState.DEAD if is_last else JobState.QUEUED,
        not_before=None if is_last else timezone.now() + RETRY_DELAY * job.attempts,
        finished_at=timezone.now() if is_last else None,
        lease_owner="",
        lease_until=None,
        last_error=text,
    )


def _told(job: Job) -> dict[str, Any]:
    """What the audit trail keeps of a job's state. Not its error: that quotes content, which may have to be erased."""
    return {"kind": job.kind, "state": job.state, "attempts": job.attempts, "done": job.progress_done}


def _recorded(job: Job, action: str, before: dict[str, Any], by: str) -> Job:
    job.refresh_from_db()
    record(project=job.project, actor=by, action=action, target=f"job:{job.pk}", before=before, after=_told(job))
    return job


def _held(
    job: Job, owner: str
) -> Any:  # Any: a QuerySet of Job, which django-stubs can't name without its own generics
    return Job.objects.filter(pk=job.pk, state=JobState.RUNNING, lease_owner=owner)


class _Renewing:
    """Holds the lease while a handler works without showing progress. A thread of its own, with its own connection."""

    def __init__(self, handle: JobHandle) -> None:
        self._handle = handle
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew, name=f"lease-{handle.id}", daemon=True)
        self._starts = not connection.in_atomic_block  # in a transaction the row is not visible to others anyway

    def __enter__(self) -> None:
        if self._starts:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._starts:
            self._thread.join()

    def _renew(self) -> None:
        try:
            while not self._stop.wait(RENEW_SECONDS):
                if not self._handle.still_mine():
                    return
        finally:
            connection.close()
