"""The Celery tasks of the product: do a job by its id, put a job of the system on the list, and sweep.

A message that comes twice does nothing twice.
"""

from __future__ import annotations

from celery import shared_task

from contextapp.jobs import services


@shared_task(name=services.RUN_TASK)
def run(job_id: int) -> None:
    services.run_job(job_id)


@shared_task(name="contextapp.jobs.tasks.enqueue")
def enqueue(kind: str, key: str) -> None:
    """What the clock asks for. A job that still waits or runs is not doubled."""
    services.enqueue(kind=kind, key=key, payload={})


@shared_task(name="contextapp.jobs.tasks.sweep")
def sweep() -> None:
    services.sweep()
