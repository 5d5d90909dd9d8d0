"""Workers on a real Redis that comes late, is killed and forgets: every job is done, and a killed one is done once more."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.db.models.functions import Now

from contextapp.jobs import tasks
from contextapp.jobs.models import Job, JobState
from tests import clusters
from tests.deploy.stack import Redis, Stack, end, wait_until

SETUP = "import django; django.setup(); from contextapp.jobs.services import *; "
OVERDUE = (
    "UPDATE jobs_job SET created_at = created_at - interval '1 hour', lease_until = lease_until - interval '1 hour'"
)


@pytest.fixture
def redis(tmp_path: Path) -> Redis:
    return Redis(tmp_path)


@pytest.fixture
def product(database_url: str, redis: Redis, tmp_path: Path) -> Iterator[Stack]:
    more = {"CELERY_BROKER_URL": redis.url, "DJANGO_SETTINGS_MODULE": "contextapp.config.settings"}
    found = Stack(clusters.environment(database_url, tmp_path, **more), tmp_path)
    with found.stack:
        yield found


def python(product: Stack, statement: str) -> str:
    """In a process of its own, for this one is bound to another broker."""
    return product.run(sys.executable, "-c", SETUP + statement)


def enqueue(product: Stack, key: str, **payload: object) -> Job:
    python(product, f"enqueue(kind='test.note', key={key!r}, payload={payload!r})")
    return Job.objects.get(key=key)


def sweep_the_overdue(product: Stack) -> None:
    with connection.cursor() as cursor:
        cursor.execute(OVERDUE)
    python(product, "sweep()")


def is_done(job: Job) -> bool:
    return Job.objects.filter(pk=job.pk, state=JobState.DONE).exists()


def runs(noted: Path) -> list[str]:
    return [line.split(" pid ")[0] for line in noted.read_text().splitlines()] if noted.exists() else []


@pytest.mark.slow
@pytest.mark.fault("F23", "F26")
def test_a_worker_waits_for_redis_and_its_work_outlives_it(product: Stack, redis: Redis, tmp_path: Path) -> None:
    noted = tmp_path / "noted"
    worker = product.worker("tests.jobs.worker")
    wait_until(lambda: "Cannot connect to redis" in product.log("worker"), "a worker that looks for Redis")
    with redis.running():
        lasting = enqueue(product, "lasting", file=str(noted), seconds=300)
        wait_until(noted.exists, "the job's beginning")

        end(worker, signal.SIGKILL)
        product.worker("tests.jobs.worker")
        sweep_the_overdue(product)

        wait_until(lambda: is_done(lasting), "the killed job")
    assert runs(noted) == ["lasting attempt 1", "lasting attempt 2"]


@pytest.mark.slow
@pytest.mark.fault("F24")
def test_what_redis_forgot_is_sent_again_and_done_once(product: Stack, redis: Redis, tmp_path: Path) -> None:
    noted = tmp_path / "noted"
    with redis.running() as server:
        jobs = [enqueue(product, key, file=str(noted)) for key in ("a", "b")]
        end(server, signal.SIGKILL)
    with redis.running():
        product.worker("tests.jobs.worker")

        sweep_the_overdue(product)
        sweep_the_overdue(product)  # two sweepers at once send twice

        wait_until(lambda: all(is_done(job) for job in jobs), "the forgotten jobs")
        last = enqueue(product, "last", file=str(noted))  # behind whatever was sent twice
        wait_until(lambda: is_done(last), "the last job")
    assert sorted(runs(noted)) == ["a attempt 1", "b attempt 1", "last attempt 1"]


@pytest.mark.fault("F32")
def test_two_clocks_ask_for_one_job(database_url: str) -> None:
    start = threading.Barrier(4)

    def ask() -> None:
        start.wait()
        tasks.enqueue("eventlog.verify", "full")
        connection.close()

    clocks = [threading.Thread(target=ask) for _ in range(4)]
    for clock in clocks:
        clock.start()
    for clock in clocks:
        clock.join()

    assert Job.objects.filter(kind="eventlog.verify", key="full", created_at__lte=Now()).count() == 1
