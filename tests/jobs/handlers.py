"""Handlers for the tests, registered in whichever process imports this module. They count by appending to a file."""

from __future__ import annotations

import os
import time
from pathlib import Path

from contextapp.jobs.handle import JobHandle
from contextapp.jobs.registry import register


def note(job: JobHandle) -> None:
    """One line per run; a job with `seconds` stays that long on its first attempt."""
    with Path(job.payload["file"]).open("a") as file:
        file.write(f"{job.key} attempt {job.attempt} pid {os.getpid()}\n")
    if job.attempt == 1:
        time.sleep(job.payload.get("seconds", 0))
    job.progress(1, 1, "noted")


def fail(job: JobHandle) -> None:
    raise RuntimeError(f"no luck with {job.key} \0")


def register_all() -> None:
    register("test.note", note)
    register("test.fail", fail)
