"""One step from every side: itself, its request checked, how it differs, its fate of a text, and the record verified."""

from __future__ import annotations

from uuid import uuid4

import pytest

from contextapp.contexts.services import simulate_step, step_id_of
from tests.api.client import Agent, agent_of, is_problem
from tests.contexts.stories import recorded, two_turns
from tests.world import World


@pytest.fixture
def built(agent: Agent) -> str:
    """A live session with two built steps."""
    session = agent.open()
    agent.append(session, ("user.message", {"text": "Fix the parser test."}))
    agent.post(f"/sessions/{session}/steps", {"build_id": str(uuid4())})
    agent.append(session, ("model.message", {"message_id": "m1", "text": "I look.", "model": "claude-opus-4-6"}))
    agent.append(session, ("user.message", {"text": "Use the  blue\n door."}))
    agent.post(f"/sessions/{session}/steps", {"build_id": str(uuid4())})
    return session


def test_one_step_is_read(agent: Agent, built: str) -> None:
    step = agent.get(f"/sessions/{built}/steps/2").json()

    assert (step["number"], step["origins"]) == (2, ["built"])
    is_problem(agent.get(f"/sessions/{built}/steps/9"), 404, "step_not_found")
    is_problem(agent.get(f"/sessions/{built}/steps/{10**25}"), 404, "step_not_found")


@pytest.mark.parametrize("form", ["neutral", "openai", "responses", "anthropic", "workbench"])
def test_a_built_request_is_read_again_and_has_the_same_bytes(agent: Agent, built: str, form: str) -> None:
    answer = agent.get(f"/sessions/{built}/steps/2/request", format=form).json()

    assert answer["same_bytes"] is True, answer["detail"]
    assert answer["request_sha256"] == answer["recorded_sha256"]
    assert "blue" in str(answer["request"])


def test_an_observed_step_has_no_request_of_ours_and_says_so(world: World, agent: Agent) -> None:
    session = recorded(world, two_turns())
    path = f"/sessions/{session.id}/steps/3/request"

    problem = is_problem(agent.get(path), 409, "no_request")
    simulate_step(step_id=step_id_of(session_id=session.id, number=3))
    simulated = agent.get(path, origin="simulated").json()

    assert "observed" in problem["detail"]
    assert (simulated["origin"], simulated["same_bytes"]) == ("simulated", True)
    is_problem(agent.get(path, origin="built"), 404, "ledger_not_found")


def test_a_diff_names_what_came_and_where_the_bytes_part(agent: Agent, built: str) -> None:
    found = agent.get(f"/sessions/{built}/steps/2/diff").json()

    ledger = agent.get(f"/sessions/{built}/steps/2/ledger").json()
    assert (found["other"], found["step"]) == (1, 2)
    assert found["token_delta"] == found["total_after"] - found["total_before"]
    assert any(change["after"]["events"] == [4, 4] for change in found["added"])
    assert 0 < found["first_changed_token"] < ledger["totalTokens"]
    named = agent.get(f"/sessions/{built}/steps/1/diff", **{"with": 2}).json()
    assert {**named, "origin": ""} == {**found, "origin": ""}
    is_problem(agent.get(f"/sessions/{built}/steps/1/diff", **{"with": 7}), 404, "ledger_not_found")
    assert is_problem(agent.get(f"/sessions/{built}/steps/1/diff", **{"with": 0}), 422, "invalid_field")["field"]


def test_two_origins_of_one_step_are_compared(world: World, agent: Agent) -> None:
    session = recorded(world, two_turns())
    simulate_step(step_id=step_id_of(session_id=session.id, number=3))

    found = agent.get(f"/sessions/{session.id}/steps/3/diff", origin="observed", with_origin="simulated").json()

    assert (found["origin"], found["other_origin"], found["step"], found["other"]) == ("observed", "simulated", 3, 3)
    assert found["first_changed_token"] is None


def test_why_tells_the_fate_of_a_text_at_each_step(agent: Agent, built: str) -> None:
    found = agent.get(f"/sessions/{built}/why", text="the blue door").json()

    assert (found["origin"], found["seqs"], found["step_count"]) == ("built", [4], 2)
    assert [(run["first_step"], run["status"]) for run in found["runs"]] == [(1, "not_yet"), (2, "rows")]
    fate = found["runs"][1]["fates"][0]
    assert (fate["action"], fate["mode"]) == ("keep", "full")
    assert fate["sentence"].endswith(".")


def test_why_follows_a_source_and_merges_steps_of_one_fate(world: World, agent: Agent) -> None:
    session = recorded(world, two_turns())
    source = agent.get(f"/sessions/{session.id}/steps/1/ledger").json()["included"][0]["sourceId"]

    found = agent.get(f"/sessions/{session.id}/why", source=source).json()
    page = agent.get(f"/sessions/{session.id}/why", source=source, limit=1).json()
    one = agent.get(f"/sessions/{session.id}/why", source=source, step=2).json()

    assert found["origin"] == "observed"
    assert found["runs"][0]["first_step"] == 1 < found["runs"][0]["last_step"]
    assert (page["next_after"], page["step_count"]) == (1, 1)
    assert [run["first_step"] for run in one["runs"]] == [2]


def test_why_needs_one_question_that_it_can_answer(agent: Agent, built: str) -> None:
    path = f"/sessions/{built}/why"

    is_problem(agent.get(path), 422, "invalid_field")
    is_problem(agent.get(path, text="a", source="b"), 422, "invalid_field")
    is_problem(agent.get(path, text="a", step=9), 404, "ledger_not_found")
    is_problem(agent.get(path, text="a", origin="observed"), 404, "ledger_not_found")
    assert agent.get(path, text="BLUE DOOR").json()["seqs"] == []
    assert agent.get(path, text="BLUE DOOR", ignore_case="true").json()["seqs"] == [4]


def test_verify_answers_a_verdict(world: World, agent: Agent, built: str) -> None:
    checker = agent_of(world.project, "verify")

    answer = checker.http.post(f"/api/v1/sessions/{built}/verify", headers=checker._headers())

    verdict = answer.json()
    assert (answer.status_code, verdict["verdict"], verdict["seq"]) == (200, "unanchored", None)
    assert verdict["events"] == agent.get(f"/sessions/{built}").json()["head_seq"]


def test_an_overflow_says_that_no_compaction_was_tried(agent: Agent) -> None:
    session = agent.open(model="made-up-1", model_window_tokens=4_000)
    agent.append(
        session,
        *[
            ("instructions.loaded", {"id": n, "level": "project", "path": f"{n}.md", "text": f"Rule {n}. " * 700})
            for n in "abcdef"
        ],
    )
    agent.append(session, ("user.message", {"text": "Go."}))

    problem = is_problem(agent.post(f"/sessions/{session}/steps", {"build_id": str(uuid4())}), 422, "context_overflow")

    assert problem["compaction"]["tried"] is False
    assert problem["compaction"]["reason"]
    is_problem(agent.get(f"/sessions/{session}/steps/1/request"), 409, "no_request")


def test_sessions_are_filtered_and_bad_filters_named(world: World, agent: Agent) -> None:
    ended = agent.open(title="Blue door", agent="pilot", external_id="run-1", started_at="2026-01-02T00:00:00Z")
    agent.post(f"/sessions/{ended}/end", {"reason": "done"})
    other = agent.open(model="gpt-4o", workspace_root="/work/parser", started_at="2026-02-02T00:00:00Z")

    def ids(**query: str) -> list[str]:
        return [session["id"] for session in agent.get("/sessions", **query).json()["sessions"]]

    assert ids(status="ended") == ids(q="blue") == ids(agent="pilot") == ids(external_id="run-1") == [ended]
    assert ids(status="open") == ids(model="gpt-4o") == ids(workspace="/work/parser") == [other]
    assert ids(until="2026-01-15T00:00:00Z") == [ended]
    assert ids(since="2026-01-15T00:00:00Z", origin="api") == [other]
    assert ids(overflow="true") == ids(origin="import") == []
    for name, value in {
        "status": "gone",
        "origin": "x",
        "since": "yesterday",
        "overflow": "maybe",
        "cursor": "x",
        "q": "\0",
    }.items():
        assert is_problem(agent.get("/sessions", **{name: value}), 422, "invalid_field")["field"] == name
