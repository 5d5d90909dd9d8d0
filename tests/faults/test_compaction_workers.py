"""A compaction by a model, in a real worker on a real Redis, killed and stopped half way: one summary, never half of it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from contextapp.compaction.services import COMPACT, Choice, choose_summariser
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import get_events
from contextapp.jobs.models import Job, JobState
from tests import clusters
from tests.compaction.endpoint import GOOD, Endpoint, late, openai, serving
from tests.compaction.sessions import live_session
from tests.deploy.stack import Process, Redis, Stack, end, wait_until
from tests.faults.stored import is_clean
from tests.faults.test_workers import sweep_the_overdue
from tests.world import World

pytestmark = pytest.mark.slow
ASK = (
    "import django; django.setup(); from uuid import UUID; from contextapp.compaction.services import request_compaction; "
    "request_compaction(session_id=UUID({session!r}), project_id=UUID({project!r}), trigger='manual')"
)


@contextmanager
def asked(
    world: World, database_url: str, folder: Path, endpoint: Endpoint, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Stack, Session]]:
    """The product with a project whose summaries that endpoint writes, and a session that waits for one."""
    monkeypatch.setattr(settings, "OUTBOUND_ALLOW_HOSTS", [endpoint.host])
    choice = Choice("openai", endpoint.url, "test-model", 128_000)
    choose_summariser(project=world.project, choice=choice, seen=0, by="test")
    session = live_session(world)
    more = {
        "CELERY_BROKER_URL": redis.url,
        "DJANGO_SETTINGS_MODULE": "contextapp.config.settings",
        "OUTBOUND_ALLOW_HOSTS": endpoint.host,
    }
    product = Stack(clusters.environment(database_url, folder, **more), folder)
    with product.stack:
        product.run(sys.executable, "-c", ASK.format(session=str(session.id), project=str(world.project.id)))
        yield product, session


def child_of(worker: Process) -> int:
    tasks = Path(f"/proc/{worker.pid}/task").glob("*/children")
    return next(int(pid) for task in tasks for pid in task.read_text().split())


def is_done(session: Session) -> bool:
    return Job.objects.filter(kind=COMPACT, key=str(session.id), state=JobState.DONE).exists()


def summaries(session: Session) -> list[str]:
    connection.close()
    return [event.payload["by"] for event in get_events(session.id) if event.type == "session.compacted"]


@pytest.mark.fault("F25")
def test_a_pool_process_killed_in_the_middle(
    crash_world: World, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = Redis(tmp_path)
    with (
        redis.running(),
        serving(late(60), openai(GOOD)) as endpoint,
        asked(crash_world, database_url, tmp_path, endpoint, redis, monkeypatch) as (product, session),
    ):
        worker = product.worker()
        wait_until(lambda: bool(endpoint.seen), "the model to be asked")

        os.kill(child_of(worker), signal.SIGKILL)
        sweep_the_overdue(product)

        wait_until(lambda: is_done(session), "the second run")
        assert summaries(session) == ["llm:test-model"]
        assert is_clean(session.id)


@pytest.mark.fault("F26")
def test_a_whole_worker_killed_in_the_middle(
    crash_world: World, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = Redis(tmp_path)
    with (
        redis.running(),
        serving(late(60), openai(GOOD)) as endpoint,
        asked(crash_world, database_url, tmp_path, endpoint, redis, monkeypatch) as (product, session),
    ):
        worker = product.worker()
        wait_until(lambda: bool(endpoint.seen), "the model to be asked")
        assert summaries(session) == []

        end(worker, signal.SIGKILL)
        product.worker()
        sweep_the_overdue(product)

        wait_until(lambda: is_done(session), "the other worker")
        assert summaries(session) == ["llm:test-model"]
        assert is_clean(session.id)


@pytest.mark.fault("F28", "F31")
def test_a_worker_that_slept_past_its_lease_changes_nothing_any_more(
    crash_world: World, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = Redis(tmp_path)
    with (
        redis.running(),
        serving(late(1), openai(GOOD)) as endpoint,
        asked(crash_world, database_url, tmp_path, endpoint, redis, monkeypatch) as (product, session),
    ):
        sleeper = product.worker()
        wait_until(lambda: bool(endpoint.seen), "the model to be asked")
        child = child_of(sleeper)
        os.kill(child, signal.SIGSTOP)
        os.kill(sleeper.pid, signal.SIGSTOP)
        product.worker()
        sweep_the_overdue(product)
        wait_until(lambda: is_done(session), "the worker that is awake")

        os.kill(child, signal.SIGCONT)
        os.kill(sleeper.pid, signal.SIGCONT)
        wait_until(lambda: "its outcome is left to that worker" in product.log("worker"), "the sleeper's end")

        assert summaries(session) == ["llm:test-model"]
        assert is_clean(session.id)
