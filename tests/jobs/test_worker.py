"""A real worker on a real broker: work arrives, and what a killed worker left is done once by the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.db.models.functions import Now

from contextapp.config.local.places import PROJECT
from contextapp.jobs.models import Job, JobState

if TYPE_CHECKING:
    from tests.databases import CommittedDatabase

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Product:
    """The product as other processes see it: its database, and the default broker in that same database."""

    environment: dict[str, str]

    def run(self, statement: str) -> str:
        """A statement in a process of its own; what it prints or logs. This process is bound to another broker."""
        code = f"import django; django.setup(); from contextapp.jobs.services import *; {statement}"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=PROJECT, env=self.environment, capture_output=True, text=True, check=True
        )
        return (done.stdout + done.stderr).strip()

    def enqueue(self, key: str, payload: dict[str, object]) -> Job:
        self.run(f"enqueue(kind='test.note', key={key!r}, payload={payload!r})")
        return Job.objects.get(kind="test.note", key=key)


@pytest.fixture
def product(committed_db: CommittedDatabase) -> Product:
    return Product({**committed_db.environment, "CELERY_BROKER_URL": "pgmq://"})


@contextmanager
def worker(product: Product) -> Iterator[subprocess.Popen[bytes]]:
    """A process group of its own, so that a kill reaches parent and children alike."""
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "tests.jobs.worker",
        "worker",
        "--concurrency",
        "1",
        "-l",
        "WARNING",
    ]
    process = subprocess.Popen(command, cwd=PROJECT, env=product.environment, start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def wait_until(is_true: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, f"not within {seconds} s: {list(Job.objects.values())}"
        time.sleep(0.1)


def is_done(job: Job) -> bool:
    return Job.objects.filter(pk=job.pk, state=JobState.DONE).exists()


def test_work_reaches_a_worker_and_outlives_it(product: Product, tmp_path: Path) -> None:
    noted = tmp_path / "noted"
    lasting = product.enqueue("lasting", {"file": str(noted), "seconds": 300})
    with worker(product) as process:
        wait_until(noted.exists)

        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    assert Job.objects.get(pk=lasting.pk).state == JobState.RUNNING
    Job.objects.filter(pk=lasting.pk).update(
        lease_until=Now() - timedelta(seconds=1), created_at=Now() - timedelta(hours=1)
    )
    assert product.run("print(sweep())").splitlines()[0] == "1"
    with worker(product):
        wait_until(lambda: is_done(lasting))
        short = product.enqueue("short", {"file": str(noted)})
        wait_until(lambda: is_done(short))

    runs = [line.split(" pid ")[0] for line in noted.read_text().splitlines()]
    assert runs == ["lasting attempt 1", "lasting attempt 2", "short attempt 1"]


def test_a_broker_that_is_down_is_logged_and_the_job_is_safe(committed_db: CommittedDatabase) -> None:
    deaf = Product({**committed_db.environment, "CELERY_BROKER_URL": "amqp://127.0.0.1:1//"})

    logged = deaf.run("enqueue(kind='test.note', key='a', payload={})")

    assert "the broker did not take the wake-up" in logged
    assert Job.objects.get(key="a").state == JobState.QUEUED
