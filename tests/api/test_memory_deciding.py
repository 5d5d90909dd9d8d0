"""Decisions on memory at the API: by whom, twice where two are needed, and what a `candidate_id` stands for."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from contextapp.accounts.models import Role, User
from contextapp.accounts.services import actor_name, add_member
from contextapp.memory.services import look_at, reject
from tests.api.client import agent_of
from tests.api.test_memory import GIVEN, decide
from tests.memory.records import approved, candidate
from tests.world import World


def login(person: User) -> Client:
    http = Client()
    http.force_login(person)
    return http


def test_a_person_of_a_foreign_project_is_answered_as_for_a_random_id(world: World) -> None:
    record, http = candidate(world), login(world.charlie)

    real = decide(http, record)
    record_id, record.pk = record.pk, record.pk + 1000
    random = decide(http, record)

    assert [(answer.status_code, answer.json()["code"]) for answer in (real, random)] == [(404, "memory_not_found")] * 2
    assert str(record_id) in real.json()["detail"]


@pytest.mark.parametrize("role", Role.values)
def test_only_reviewers_and_admins_decide(world: World, role: str) -> None:
    record, dora = candidate(world), User.objects.create_user("dora")
    add_member(project=world.project, user=dora, role=Role(role), by="user:alice")

    answer = decide(login(dora), record)

    expected = (200, None) if role in (Role.REVIEWER, Role.ADMIN) else (403, "not_a_reviewer")
    assert (answer.status_code, answer.json().get("code")) == expected


def test_a_proposer_never_approves(world: World) -> None:
    record = candidate(world, proposed_by=actor_name(world.bob))

    answer = decide(login(world.bob), record)

    record.refresh_from_db()
    assert (answer.status_code, answer.json()["code"], record.state) == (403, "own_proposal", "candidate")


def test_two_people_approve_what_is_for_the_whole_project(world: World) -> None:
    record = candidate(world, scope="global", scope_key="", kind="constraint")

    first = decide(login(world.bob), record)
    record.refresh_from_db()
    same = decide(login(world.bob), record)
    second = decide(login(world.alice), record)

    assert (first.status_code, first.json()["record"]["state"]) == (200, "candidate")
    assert (same.status_code, same.json()["code"]) == (403, "second_person_needed")
    assert (second.status_code, second.json()["record"]["state"]) == (200, "approved")


def test_an_approval_under_two_seconds_of_what_wants_thought_is_asked_once_more(world: World) -> None:
    record, http = candidate(world), login(world.bob)

    asked = decide(http, record, ms_on_screen=900)
    sure = decide(http, record, ms_on_screen=900, sure=True)

    assert (asked.status_code, asked.json()["field"]) == (422, "sure")
    assert (sure.status_code, sure.json()["record"]["state"]) == (200, "approved")


@pytest.mark.parametrize("change", [{"kind": "decision"}, {"valid_until": "2030-01-01T00:00:00Z"}, {"value": "tox"}])
def test_an_id_stands_for_the_whole_proposal(world: World, change: dict[str, str]) -> None:
    agent = agent_of(world.project, "ingest")
    agent.post("/memory", GIVEN)

    answer = agent.post("/memory", {**GIVEN, **change})

    assert (answer.status_code, answer.json()["code"]) == (409, "candidate_id_conflict")


def test_an_id_is_remembered_where_the_claim_was_known(world: World) -> None:
    agent, record = agent_of(world.project, "ingest"), candidate(world)

    first, again = agent.post("/memory", GIVEN).json(), agent.post("/memory", GIVEN).json()
    other = agent.post("/memory", {**GIVEN, "claim": "Tests run with tox."})

    assert (first["outcome"], again["outcome"], again["id"]) == ("evidence_added", "repeated", record.pk)
    assert other.status_code == 409


def test_an_id_is_remembered_where_the_claim_was_declined(world: World) -> None:
    agent, record = agent_of(world.project, "ingest"), candidate(world)
    reject(revision_id=record.pk, reviewer=world.bob, look=look_at(record), reason_code="wrong")

    outcomes = [agent.post("/memory", GIVEN).json()["outcome"] for _time in range(2)]
    other = agent.post("/memory", {**GIVEN, "claim": "Tests run with tox."})

    assert outcomes == ["declined_before"] * 2
    assert other.status_code == 409


def test_an_id_is_of_its_project_alone(world: World) -> None:
    agents = [agent_of(project, "ingest") for project in (world.project, world.foreign_project)]

    statuses = [agents[0].post("/memory", GIVEN).status_code]
    statuses.append(agents[1].post("/memory", {**GIVEN, "claim": "Tests run with tox."}).status_code)

    assert statuses == [201, 201]


def test_an_export_is_narrowed_by_state_and_kind(world: World) -> None:
    approved(world, candidate(world))
    candidate(world, claim="Spaces, not tabs.", kind="preference")
    agent = agent_of(world.project, "read")

    answers = [agent.get("/memory/export", **asked) for asked in ({}, {"state": "candidate"}, {"kind": "todo"})]
    told = [[json.loads(line)["kind"] for line in answer.getvalue().splitlines()] for answer in answers]

    assert told == [["fact"], ["preference"], []]
