"""Limits of a key and of a project: counted, refused with the time to wait, shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from contextapp.accounts.models import ApiKey, Usage
from contextapp.accounts.services.usage import Meter
from tests.api.client import Agent, agent_of, is_problem
from tests.world import World

HELLO = ("user.message", {"text": "hello"})
NOON = datetime(2030, 1, 1, 12, 0, 10, tzinfo=UTC)


@pytest.fixture(autouse=True)
def every_count_is_written(settings: Settings) -> None:
    settings.API_USAGE_WRITE_MS = 0


@pytest.fixture
def key(agent: Agent) -> ApiKey:
    return ApiKey.objects.select_related("project").get(key_id=agent.key.split("_")[1])


def test_a_key_that_asks_too_often_waits(agent: Agent, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = 3
    for _ in range(3):
        agent.get("/sessions")

    answer = agent.get("/sessions")

    problem = is_problem(answer, 429, "rate_limited")
    assert 1 <= int(answer["Retry-After"]) <= 60
    assert "3 requests" in problem["detail"]
    assert "API_REQUESTS_PER_MINUTE" in problem["detail"]


def test_a_project_that_sends_too_much_waits_before_its_body_is_read(
    agent: Agent, world: World, settings: Settings
) -> None:
    settings.API_EVENTS_PER_MINUTE = 5
    session = agent.open()
    assert agent.append(session, *[HELLO] * 5).status_code == 200

    answer = agent.send(f"/sessions/{session}/events", b"this is not even JSON")

    is_problem(answer, 429, "rate_limited")


def test_the_limit_of_a_project_is_that_of_all_its_keys(agent: Agent, world: World) -> None:
    world.project.limit_events_per_minute = 2
    world.project.save()
    session = agent.open()
    agent.append(session, HELLO, HELLO)

    is_problem(agent_of(world.project).get("/sessions"), 429, "rate_limited")


def test_other_projects_go_on(agent: Agent, stranger: Agent, world: World) -> None:
    world.project.limit_events_per_minute = 1
    world.project.save()
    agent.append(agent.open(), HELLO)

    assert agent.get("/sessions").status_code == 429
    assert stranger.get("/sessions").status_code == 200


def test_telemetry_is_limited_in_its_own_words(agent: Agent, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = 1
    agent.get("/sessions")

    answer = agent.http.post(
        "/v1/traces", b"{}", content_type="application/json", headers={"Authorization": f"Bearer {agent.key}"}
    )

    assert answer.status_code == 429
    assert int(answer["Retry-After"]) >= 1


def test_what_was_asked_and_refused_is_counted(agent: Agent, key: ApiKey, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = 2
    agent.append(agent.open(), HELLO, HELLO)
    agent.get("/sessions")
    agent.get("/sessions")

    rows = Usage.objects.filter(key=key)
    assert sum(row.events for row in rows) == 2
    assert sum(row.limited for row in rows) >= 1


def test_the_next_minute_begins_with_nothing(key: ApiKey, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = 1
    meter = Meter()

    assert meter.admit(key, NOON) is None
    refused = meter.admit(key, NOON)

    assert refused is not None
    assert refused.retry_after_seconds == 50
    assert meter.admit(key, NOON + timedelta(minutes=1)) is None


def test_two_processes_share_a_limit(key: ApiKey, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = 4
    one, other = Meter(), Meter()

    taken = [meter.admit(key, NOON) is None for meter in (one, other, one, other, one, other, one, other)]

    assert 4 <= sum(taken) <= 6  # each may take one more before it hears of the other's
    assert taken[-2:] == [False, False]


def test_counts_of_a_minute_that_ended_are_written_before_the_next(key: ApiKey, settings: Settings) -> None:
    settings.API_USAGE_WRITE_MS = 60_000
    meter = Meter()
    meter.admit(key, NOON)
    meter.add_events(key, 7)

    meter.admit(key, NOON + timedelta(minutes=1))

    row = Usage.objects.get(key=key, minute=NOON.replace(second=0))
    assert (row.requests, row.events) == (1, 7)


def test_a_key_that_was_deleted_with_counts_left_stops_nobody(key: ApiKey, world: World, settings: Settings) -> None:
    settings.API_USAGE_WRITE_MS = 60_000
    meter = Meter()
    other = ApiKey.objects.get(key_id=agent_of(world.project).key.split("_")[1])
    meter.admit(other, NOON)
    other.delete()

    assert meter.admit(key, NOON + timedelta(minutes=1)) is None


def test_counts_older_than_a_week_go(key: ApiKey) -> None:
    old = Usage.objects.create(project=key.project, key=key, minute=timezone.now() - timedelta(days=8), requests=1)

    Meter().admit(key, timezone.now())

    assert not Usage.objects.filter(id=old.id).exists()
