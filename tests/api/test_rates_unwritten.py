"""The table of usage can't be written: requests are served, limits hold in the process, and the counts are written later."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from contextapp.accounts.models import ApiKey, AuditEntry, Usage
from contextapp.accounts.services.usage import Meter
from tests.api.client import Agent, is_problem

HELLO = ("user.message", {"text": "hello"})
NOON = datetime(2030, 1, 1, 12, 0, 10, tzinfo=UTC)


@pytest.fixture(autouse=True)
def every_count_is_written(settings: Settings) -> None:
    settings.API_USAGE_WRITE_MS = 0


@pytest.fixture
def key(agent: Agent) -> ApiKey:
    return ApiKey.objects.select_related("project").get(key_id=agent.key.split("_")[1])


@contextmanager
def no_table() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE accounts_usage RENAME TO accounts_usage_away")
    yield
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE accounts_usage_away RENAME TO accounts_usage")


def alarms() -> list[str]:
    return [entry.after["what"] for entry in AuditEntry.objects.filter(action="usage.not_written")]


def test_an_append_is_taken_and_one_alarm_recorded(agent: Agent, key: ApiKey) -> None:
    session = agent.open()
    with no_table():
        answers = [agent.append(session, HELLO).status_code for _ in range(3)]

    assert answers == [200, 200, 200]
    assert len(alarms()) == 1
    assert "UndefinedTable" in alarms()[0]


def test_what_was_counted_meanwhile_is_written_when_it_works_again(agent: Agent, key: ApiKey) -> None:
    session = agent.open()
    with no_table():
        agent.append(session, HELLO, HELLO)
        agent.append(session, HELLO)
    agent.get("/sessions")
    agent.get("/sessions")

    rows = Usage.objects.filter(key=key)
    assert sum(row.events for row in rows) == 3
    assert sum(row.requests for row in rows) >= 4


def test_limits_hold_within_the_process(agent: Agent, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = 3
    with no_table():
        for _ in range(3):
            assert agent.get("/sessions").status_code == 200
        answer = agent.get("/sessions")

    is_problem(answer, 429, "rate_limited")


def test_counts_of_minutes_that_ended_meanwhile_are_owed_and_written(key: ApiKey) -> None:
    meter = Meter()
    with no_table():
        for minute in range(3):
            assert meter.admit(key, NOON + timedelta(minutes=minute)) is None
            meter.add_events(key, 5)
    meter.admit(key, NOON + timedelta(minutes=3))
    meter.admit(key, NOON + timedelta(minutes=4))

    rows = Usage.objects.filter(key=key).order_by("minute")
    assert [(row.requests, row.events) for row in rows][:4] == [(1, 5), (1, 5), (1, 5), (1, 0)]
    assert meter.owed == {}
