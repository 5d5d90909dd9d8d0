"""What the clock asks for: every scheduled job has a handler, and asking twice makes one job."""

from __future__ import annotations

import pytest
from django.conf import settings

from contextapp.jobs import registry
from contextapp.jobs.models import Job
from contextapp.jobs.tasks import enqueue

ASKED = {
    name: entry["args"]
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items()
    if entry["task"] == "contextapp.jobs.tasks.enqueue"
}


def test_checkpoints_and_verification_are_scheduled() -> None:
    assert {"checkpoint", "verify_new", "verify_all"} <= set(ASKED)
    assert settings.CELERY_BEAT_SCHEDULE["checkpoint"]["schedule"] == settings.CHECKPOINT_MINUTES * 60


@pytest.mark.parametrize("name", ASKED)
def test_a_scheduled_job_has_a_handler(name: str) -> None:
    kind, _key = ASKED[name]

    assert registry.handler_for(kind)


def test_asking_again_while_the_job_waits_makes_no_second_one(db: None) -> None:
    enqueue("eventlog.verify", "new")
    enqueue("eventlog.verify", "new")

    assert Job.objects.filter(kind="eventlog.verify", key="new").count() == 1
