"""Whether the broker answers, asked of a real Redis that comes and goes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from contextapp.jobs import broker
from tests.deploy.stack import Redis


def test_a_real_redis_answers_and_is_missed_at_once_when_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = Redis(tmp_path)
    monkeypatch.setenv("CELERY_BROKER_URL", redis.url)  # which Celery reads before the settings
    monkeypatch.setattr(broker, "ASKED_AGAIN_SECONDS", 0.0)

    with redis.running():
        up = broker.broker_answers()
    asked = time.monotonic()
    down = broker.broker_answers()

    assert (up, down) == (True, False)
    assert time.monotonic() - asked < 1


def test_one_answer_serves_for_some_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    redis = Redis(tmp_path)
    monkeypatch.setenv("CELERY_BROKER_URL", redis.url)

    before = broker.broker_answers()
    with redis.running():
        kept = broker.broker_answers()

    assert (before, kept) == (False, False)


@pytest.mark.parametrize("url", ["pgmq://", "memory://"])
def test_a_broker_inside_the_database_or_the_process_needs_no_question(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CELERY_BROKER_URL", url)

    assert broker.broker_answers()
