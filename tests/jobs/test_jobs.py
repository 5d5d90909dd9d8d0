"""The list of work: one row per key, five attempts, leases that fence, a sweeper that forgets nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from contextapp.jobs import registry, services
from contextapp.jobs.handle import JobHandle, LeaseLost
from contextapp.jobs.models import Job, JobState
from contextapp.jobs.selectors import dead_jobs, get_job, open_jobs
from contextapp.jobs.services import cancel, enqueue, retry, run_job, run_now, sweep
from tests.world import World


@pytest.fixture
def handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A registry of the test's own."""
    made: dict[str, Any] = {}
    monkeypatch.setattr(registry, "_handlers", made)
    yield made


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The broker is not ours: what would be sent to it is listed here."""
    sent: list[int] = []
    monkeypatch.setattr(services.current_app, "send_task", lambda name, args, **_: sent.append(args[0]))
    return sent


def put(kind: str = "test.work", key: str = "a", **others: Any) -> Job:
    return enqueue(kind=kind, key=key, payload=others.pop("payload", {}), **others)


def age(job: Job, **columns: Any) -> None:
    Job.objects.filter(pk=job.pk).update(**columns)


def test_a_job_is_done_with_its_payload(db: None, handlers: dict[str, Any]) -> None:
    seen: list[Any] = []
    registry.register("test.work", lambda job: seen.append((job.payload, job.key, job.attempt)))

    done = run_now(put(payload={"n": 1}).pk)

    assert seen == [({"n": 1}, "a", 1)]
    assert (done.state, done.lease_owner, done.lease_until) == (JobState.DONE, "", None)
    assert done.finished_at is not None


def test_a_waiting_job_is_found_again_and_a_done_one_put_back(db: None, handlers: dict[str, Any]) -> None:
    registry.register("test.work", lambda job: None)
    first = put(payload={"n": 1})

    waiting = put(payload={"n": 2})
    run_now(first.pk)
    again = put(payload={"n": 3})

    assert (waiting.pk, waiting.payload) == (first.pk, {"n": 1})
    assert (again.pk, again.payload, again.state, again.attempts) == (first.pk, {"n": 3}, JobState.QUEUED, 0)


def test_the_wake_up_goes_out_with_the_commit(
    db: None, woken: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        with transaction.atomic():
            job = put()
            assert woken == []
        later = put(key="later", not_before=timezone.now() + timedelta(hours=1))

    assert woken == [job.pk]
    assert later.state == JobState.QUEUED


def test_a_failing_job_is_tried_five_times_and_then_shown_as_dead(
    world: World, handlers: dict[str, Any], woken: list[int]
) -> None:
    def fail(job: JobHandle) -> None:
        raise RuntimeError(f"attempt {job.attempt} \0 failed")

    registry.register("test.work", fail)
    job = put(project_id=world.project.id)

    states = []
    for _ in range(6):
        age(job, not_before=None)
        states.append(run_now(job.pk).state)

    assert states == [JobState.QUEUED] * 4 + [JobState.DEAD] * 2
    [dead] = dead_jobs([world.project.id])
    assert "attempt 5 � failed" in dead.last_error
    assert dead_jobs([world.foreign_project.id]) == ()
    assert retry(job_id=job.pk, by="user:alice").state == JobState.QUEUED


def test_a_failed_job_waits_before_it_is_tried_again(db: None, handlers: dict[str, Any], woken: list[int]) -> None:
    registry.register("test.work", lambda job: job.payload["missing"])
    job = put()

    failed = run_now(job.pk)

    assert failed.not_before is not None
    assert failed.not_before > timezone.now()
    assert not run_job(job.pk)
    age(job, created_at=timezone.now() - timedelta(minutes=1))
    assert sweep() == 0


def test_a_kind_that_nobody_does_is_told(db: None, handlers: dict[str, Any]) -> None:
    assert "no handler for jobs of kind 'test.work'" in run_now(put().pk).last_error


def test_a_kind_has_one_handler(handlers: dict[str, Any]) -> None:
    registry.register("test.work", print)
    registry.register("test.work", print)

    with pytest.raises(ValueError, match="already has a handler"):
        registry.register("test.work", repr)


def test_a_job_that_runs_is_not_run_twice(db: None, handlers: dict[str, Any]) -> None:
    inner: list[bool] = []
    registry.register("test.work", lambda job: inner.append(run_job(job.id)))

    assert run_job(put().pk)
    assert inner == [False]


def test_a_lost_lease_stops_the_handler_and_keeps_the_other_outcome(db: None, handlers: dict[str, Any]) -> None:
    reached: list[str] = []

    def work(job: JobHandle) -> None:
        job.progress(0, 2, "begun")
        Job.objects.filter(pk=job.id).update(lease_owner="another", state=JobState.RUNNING)
        assert not job.still_mine()
        reached.append("before")
        job.progress(2, 2)
        reached.append("after")

    registry.register("test.work", work)

    left = run_now(put().pk)

    assert reached == ["before"]
    assert (left.state, left.lease_owner, left.progress_note) == (JobState.RUNNING, "another", "begun")


def test_a_cancelled_job_stops_at_its_next_progress(db: None, handlers: dict[str, Any]) -> None:
    def work(job: JobHandle) -> None:
        cancel(job_id=job.id, by="user:alice")
        with pytest.raises(LeaseLost):
            job.progress(1, 1)
        raise LeaseLost

    registry.register("test.work", work)

    assert run_now(put().pk).state == JobState.CANCELLED


def test_a_cancelled_job_never_starts(db: None, handlers: dict[str, Any]) -> None:
    registry.register("test.work", lambda job: None)
    job = put()

    cancel(job_id=job.pk, by="user:alice")

    assert not run_job(job.pk)
    assert put().state == JobState.QUEUED


def test_progress_is_written_seldom_and_at_the_end(db: None, handlers: dict[str, Any]) -> None:
    shown: list[tuple[int, str]] = []

    def work(job: JobHandle) -> None:
        for done in range(1, 101):
            job.progress(done, 100, f"line {done}")
            row = Job.objects.get(pk=job.id)
            shown.append((row.progress_done, row.progress_note))

    registry.register("test.work", work)
    run_now(put().pk)

    assert shown[0] == (1, "line 1")
    assert shown[-1] == (100, "line 100")
    assert len(set(shown)) < 50


def test_the_sweeper_takes_back_what_lost_its_worker(db: None, handlers: dict[str, Any], woken: list[int]) -> None:
    past = timezone.now() - timedelta(minutes=5)
    lost, held, worn_out, waiting, fresh = (put(key=name) for name in ("lost", "held", "worn out", "waiting", "fresh"))
    age(lost, state="running", lease_owner="x", lease_until=past, attempts=1, created_at=past)
    age(held, state="running", lease_owner="y", lease_until=timezone.now() + timedelta(minutes=1), created_at=past)
    age(worn_out, state="running", lease_owner="z", lease_until=past, attempts=5, created_at=past)
    age(waiting, created_at=past)

    sent = sweep()

    assert (sent, sorted(woken)) == (2, sorted([lost.pk, waiting.pk]))
    states = dict(Job.objects.values_list("key", "state"))
    assert states == {"lost": "queued", "held": "running", "worn out": "dead", "waiting": "queued", "fresh": "queued"}
    assert "the worker stopped 5 times" in Job.objects.get(key="worn out").last_error


def test_an_expired_lease_is_claimed_without_waiting_for_the_sweeper(db: None, handlers: dict[str, Any]) -> None:
    registry.register("test.work", lambda job: None)
    job = put()
    age(job, state="running", lease_owner="x", lease_until=timezone.now() - timedelta(seconds=1), attempts=1)

    assert run_now(job.pk).state == JobState.DONE


def test_jobs_are_found_by_project_and_key(world: World, handlers: dict[str, Any]) -> None:
    job = put(project_id=world.project.id)

    assert get_job("test.work", "a") == job
    assert get_job("test.work", "b") is None
    assert open_jobs([world.project.id]) == (job,)
    assert open_jobs([world.project.id], "other") == ()
    assert open_jobs([world.foreign_project.id]) == ()


def test_handlers_of_the_worker_test_are_well_formed(db: None, handlers: dict[str, Any], tmp_path: Path) -> None:
    from tests.jobs.handlers import register_all

    register_all()
    job = run_now(put("test.note", "k", payload={"file": str(tmp_path / "noted")}).pk)

    assert job.state == JobState.DONE
    assert (tmp_path / "noted").read_text().startswith("k attempt 1 pid ")
