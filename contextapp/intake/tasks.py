"""The background job of this app: one import by its id. Called by name from the job table."""

from __future__ import annotations

from uuid import UUID

from contextapp.intake.services import run_import
from contextapp.jobs.handle import JobHandle


def run_import_job(job: JobHandle) -> None:
    run_import(UUID(job.payload["import_id"]), job.progress)
