"""Memory through the client, sync and async, against the real server."""

from __future__ import annotations

import asyncio

import pytest

from contextapp.client import AsyncClient, Client
from tests.client.agents import key_of_a_project

CLAIM = {"claim": "Tests run with make test.", "kind": "fact", "scope": "workspace", "scope_key": "/srv/shop"}


@pytest.fixture
def key(live_url: str) -> str:
    return key_of_a_project()


def test_a_proposal_is_listed_and_repeated(live_url: str, key: str) -> None:
    with Client(live_url, key) as client:
        first = client.propose_memory(candidate_id="run-1/tests", **CLAIM)
        again = client.propose_memory(candidate_id="run-1/tests", **CLAIM)
        listed = client.memory(state="candidate", kind="fact", limit=5)
        none = client.memory(state="approved")

    assert (first["outcome"], again["outcome"], again["id"]) == ("created", "repeated", first["id"])
    assert [entry["id"] for entry in listed["records"]] == [first["id"]]
    assert none["records"] == []


def test_the_async_client_does_the_same(live_url: str, key: str) -> None:
    async def run() -> tuple[dict[str, object], dict[str, object]]:
        async with AsyncClient(live_url, key) as client:
            made = await client.propose_memory(candidate_id="run-1/tests", **CLAIM)
            return made, await client.memory(state="candidate")

    made, listed = asyncio.run(run())

    assert made["outcome"] == "created"
    assert [entry["id"] for entry in listed["records"]] == [made["id"]]  # type: ignore[attr-defined]
