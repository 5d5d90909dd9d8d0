"""A record tells at which steps it entered a request."""

from __future__ import annotations

from uuid import uuid4

from tests.api.client import agent_of
from tests.memory.records import approved, candidate
from tests.world import World


def test_a_record_tells_the_steps_that_it_entered(world: World) -> None:
    record, agent = approved(world, candidate(world)), agent_of(world.project)
    session = agent.open(workspace_root="/srv/shop")
    agent.append(session, ("user.message", {"text": "Do the tests run with make test?"}))
    agent.post(f"/sessions/{session}/steps", {"build_id": str(uuid4())})

    told = agent.get(f"/memory/{record.pk}").json()

    assert [(use["session_id"], use["step"], use["origin"], use["is_included"]) for use in told["uses"]] == [
        (session, 1, "built", True)
    ]
    assert [row["verdict"] for row in told["transitions"]] == ["approve"]
