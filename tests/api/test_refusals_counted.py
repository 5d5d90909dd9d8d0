"""Refusals are counted for the key that got them, by the problem's code, and shown on the page of limits."""

from __future__ import annotations

from uuid import uuid4

from pytest_django.fixtures import Settings

from contextapp.accounts.models import Usage
from contextapp.accounts.selectors import usage_of
from tests.api.client import Agent, agent_of
from tests.world import World


def refused(world: World) -> dict[str, int]:
    return {code: times for key in usage_of(world.project) for code, times in key.refused}


def test_each_reason_is_counted(agent: Agent, world: World, settings: Settings) -> None:
    settings.API_USAGE_WRITE_MS = 0
    session = agent.open()
    for _ in range(3):
        agent.send(f"/sessions/{session}/events", b"{")
    agent.send(f"/sessions/{session}/events", b"x", content_type="text/plain")
    agent.get(f"/sessions/{uuid4()}")
    agent.http.post(
        "/v1/traces", b"{", content_type="application/json", headers={"Authorization": f"Bearer {agent.key}"}
    )
    agent.get("/sessions")

    assert refused(world) == {"bad_json": 4, "not_json": 1, "session_not_found": 1}


def test_the_first_of_a_kind_is_written_at_once(agent: Agent, world: World, settings: Settings) -> None:
    settings.API_USAGE_WRITE_MS = 60_000
    reader = agent_of(world.project, "read")

    reader.post("/sessions", {})
    reader.post("/sessions", {})

    assert refused(world) == {"scope_missing": 1}


def test_requests_over_a_limit_are_one_of_the_reasons(agent: Agent, world: World, settings: Settings) -> None:
    settings.API_USAGE_WRITE_MS, settings.API_REQUESTS_PER_MINUTE = 0, 1
    agent.get("/sessions")
    agent.get("/sessions")
    agent.get("/sessions")
    agent.get("/sessions")

    assert refused(world)["rate_limited"] >= 2
    assert sum(row.limited for row in Usage.objects.all()) >= 2


def test_a_stranger_without_a_key_counts_for_nobody(world: World) -> None:
    Agent("ctx_no_key").get("/sessions")

    assert not Usage.objects.exists()
