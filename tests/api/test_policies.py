"""Policies at the API: read by keys that build or read, of their own project alone."""

from __future__ import annotations

from contextapp.engine.policy import Policy
from contextapp.policy.selectors import policy_state
from contextapp.policy.services import activate, create_draft
from tests.api.client import Agent, agent_of, is_problem
from tests.world import World


def publish(world: World) -> None:
    body = Policy().to_dict() | {"lend_unused": True}
    made = create_draft(project=world.project, body=body, by="user:alice")
    activate(version=made, note="lend", seen=policy_state(made), seen_active=1, by="user:alice")


def test_the_versions_are_listed_with_the_one_in_force(world: World, agent: Agent) -> None:
    publish(world)

    listed = agent.get("/policies").json()
    active = agent.get("/policies/active").json()

    assert [(one["number"], one["state"]) for one in listed["policies"]] == [(2, "active"), (1, "retired")]
    assert listed["total"] == 2
    assert len(agent.get("/policies", limit=1).json()["policies"]) == 1
    assert (active["number"], active["policy"]["number"], active["policy"]["lend_unused"]) == (2, 2, True)
    assert agent.get("/policies/1").json()["policy"]["lend_unused"] is False


def test_a_version_of_another_project_is_not_there(world: World, agent: Agent, stranger: Agent) -> None:
    publish(world)

    is_problem(stranger.get("/policies/2"), 404, "policy_not_found")
    is_problem(agent.get(f"/policies/{2**40}"), 404, "policy_not_found")
    is_problem(agent.get("/policies/0"), 404, "policy_not_found")
    assert stranger.get("/policies/active").json()["number"] == 1


def test_a_key_that_only_ingests_reads_no_policy(world: World) -> None:
    is_problem(agent_of(world.project, "ingest").get("/policies/active"), 403, "scope_missing")
