"""Proposals that meet: one id sent by two at once, and a candidate that no request ever holds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

from django.db import connection

from contextapp.memory.models import MemoryCandidateId, MemoryRevision
from tests.api.client import Json, agent_of
from tests.api.test_memory import GIVEN
from tests.databases import CommittedDatabase
from tests.world import World, build_world


def test_one_id_sent_by_many_at_once_is_one_record(committed_db: CommittedDatabase) -> None:
    world = build_world()
    agents = [agent_of(world.project, "ingest") for _one in range(4)]

    def propose(place: int) -> tuple[int, Json]:
        try:
            answer = agents[place].post("/memory", GIVEN)
            return answer.status_code, answer.json()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(propose, range(4)))

    assert sorted(status for status, _body in answers) == [200, 200, 200, 201]
    assert len({body["id"] for _status, body in answers}) == 1
    assert (MemoryRevision.objects.count(), MemoryCandidateId.objects.count()) == (1, 1)


def test_a_proposal_enters_no_build(world: World) -> None:
    agent = agent_of(world.project)
    session = agent.open(workspace_root="/srv/shop")
    agent.append(session, ("user.message", {"text": "How do tests run with make test?"}))
    agent.post("/memory", {**GIVEN, "claim": "Tests run with make test-unproven."})

    built = agent.post(f"/sessions/{session}/steps", {"build_id": str(uuid4())})

    assert built.status_code in (200, 201)
    assert b"test-unproven" not in built.content


def test_evidence_is_checked_by_code(world: World) -> None:
    agent = agent_of(world.project)
    session = agent.open()
    agent.append(session, ("user.message", {"text": "Tests run with make test."}))
    told = {"session": session, "seq": 1}

    good = agent.post("/memory", {**GIVEN, "evidence": [told]}).json()
    claim = {**GIVEN, "candidate_id": "two", "claim": "Port 8443 is ours.", "evidence": [told | {"seq": 99}]}
    bad = agent.post("/memory", claim).json()

    assert (good["evidence_checks"]["exists"], good["evidence_checks"]["terms"]) == (True, True)
    assert bad["evidence_checks"]["exists"] is False
    assert "8443" in bad["evidence_checks"]["missing"]
