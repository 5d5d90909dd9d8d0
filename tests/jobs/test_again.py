"""Work that is asked for while it runs is done once more; what is due soon is woken by the broker at its time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from contextapp.jobs import registry, services
from contextapp.jobs.handle import JobHandle
from contextapp.jobs.models import Job, JobState

KIND = "test.again"


@pytest.fixture
def runs(db: None, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Each run is noted; the first one is asked for again while it runs."""
    done: list[int] = []

    def handler(job: JobHandle) -> None:
        done.append(job.attempt)
        if len(done) == 1:
            services.enqueue(kind=KIND, key="a", payload={}, again=True)

    monkeypatch.setitem(registry._handlers, KIND, handler)
    return done


def test_it_is_put_on_the_list_again_when_it_ends(runs: list[int]) -> None:
    job = services.enqueue(kind=KIND, key="a", payload={})

    first = services.run_now(job.pk)
    second = services.run_now(job.pk)

    assert (first.state, second.state, len(runs)) == (JobState.QUEUED, JobState.DONE, 2)


def test_without_being_asked_it_ends(runs: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    runs.append(0)  # so that the handler asks for nothing
    job = services.enqueue(kind=KIND, key="a", payload={})

    assert services.run_now(job.pk).state == JobState.DONE


@pytest.mark.parametrize(("seconds", "woken"), [(None, [None]), (2, [2.1]), (3600, [])])
def test_what_is_due_soon_is_woken_at_its_time(
    db: None,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
    seconds: int | None,
    woken: list[float | None],
) -> None:
    sent: list[float | None] = []
    monkeypatch.setattr(services.current_app, "send_task", lambda *args, countdown, **others: sent.append(countdown))
    due = None if seconds is None else timezone.now() + timedelta(seconds=seconds)

    with django_capture_on_commit_callbacks(execute=True):
        services.enqueue(kind=KIND, key="b", payload={}, not_before=due)

    assert sent == [pytest.approx(one, abs=0.1) if one else None for one in woken]
    assert Job.objects.get(key="b").state == JobState.QUEUED
