"""The way of a live agent through the API: open, append, build, answer, read why."""

from __future__ import annotations

from types import ModuleType
from uuid import uuid4

import pytest

from contextapp.contexts.services import index_session, simulate_step, step_id_of
from contextapp.engine.request import anthropic, openai, responses
from contextapp.eventlog.services import update_session_facts, verify_session
from tests.api.client import Agent, Json, event, is_problem
from tests.contexts.stories import recorded, two_turns
from tests.world import World


def test_sessions_are_opened_once_per_external_id(agent: Agent) -> None:
    first = agent.post("/sessions", {"external_id": "run-7", "title": "Fix it", "model": "claude-opus-4-6"})
    second = agent.post("/sessions", {"external_id": "run-7", "title": "Another title"})

    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    assert (second.json()["title"], second.json()["origin"], second.json()["head_seq"]) == ("Fix it", "api", 0)


def test_a_window_that_we_do_not_know_can_be_given(agent: Agent) -> None:
    session = agent.open(model="made-up-1", model_window_tokens=32_000)

    agent.append(session, ("user.message", {"text": "Hi."}))
    answer = agent.post(f"/sessions/{session}/steps", {"build_id": str(uuid4())})

    assert answer.status_code == 200, answer.content
    assert answer.json()["ledger"]["windowTokens"] == 32_000


def test_sessions_are_listed_in_pages(agent: Agent) -> None:
    opened = {agent.open(started_at=f"2026-01-0{day}T00:00:00Z") for day in range(1, 6)}
    seen: list[str] = []
    cursor, pages = "", 0
    while cursor is not None:
        page = agent.get("/sessions", limit=2, cursor=cursor).json()
        seen += [session["id"] for session in page["sessions"]]
        cursor, pages = page["next_cursor"], pages + 1

    assert (len(seen), set(seen), pages, page["total"]) == (5, opened, 3, 5)


def test_a_batch_gets_places_and_a_retry_gets_them_again(agent: Agent) -> None:
    session = agent.open()
    batch = {"events": [event("user.message", {"text": text}) for text in "ab"]}

    first = agent.post(f"/sessions/{session}/events", batch).json()
    agent.append(session, ("user.message", {"text": "c"}))
    again = agent.post(f"/sessions/{session}/events", batch).json()

    assert first == {"results": [{"seq": 1, "duplicate": False}, {"seq": 2, "duplicate": False}], "head_seq": 2}
    assert again == {"results": [{"seq": 1, "duplicate": True}, {"seq": 2, "duplicate": True}], "head_seq": 3}
    assert verify_session(session_id=session).is_verified  # type: ignore[arg-type]  # the id as text does too


def test_a_batch_is_all_or_nothing(agent: Agent) -> None:
    session = agent.open()
    known = event("user.message", {"text": "known"})
    agent.post(f"/sessions/{session}/events", {"events": [known]})
    changed = {**known, "payload": {"text": "changed"}}

    answer = agent.post(f"/sessions/{session}/events", {"events": [event("user.message", {"text": "new"}), changed]})

    problem = is_problem(answer, 409, "event_id_conflict")
    assert (problem["index"], problem["field"]) == (1, "event_id")
    assert agent.get(f"/sessions/{session}").json()["head_seq"] == 1


def test_a_writer_that_expects_another_head_is_told_where_it_is(agent: Agent) -> None:
    session = agent.open()
    agent.append(session, ("user.message", {"text": "a"}))

    answer = agent.append(session, ("user.message", {"text": "b"}), expected_head=0)

    assert is_problem(answer, 409, "wrong_head")["head_seq"] == 1
    assert agent.append(session, ("user.message", {"text": "b"}), expected_head=1).status_code == 200


@pytest.mark.parametrize("kind", ["event.redacted"])
def test_what_only_the_log_may_write_is_refused(agent: Agent, kind: str) -> None:
    session = agent.open()

    answer = agent.append(session, ("user.message", {"text": "a"}), (kind, {}))

    assert is_problem(answer, 422, "event_refused")["index"] == 1


def test_events_are_read_on_from_a_place(agent: Agent) -> None:
    session = agent.open()
    agent.append(session, *(("user.message", {"text": str(number)}) for number in range(1, 6)))

    page = agent.get(f"/sessions/{session}/events", after=1, limit=3).json()
    rest = agent.get(f"/sessions/{session}/events", after=page["next_after"]).json()

    assert [(each["seq"], each["payload"]["text"]) for each in page["events"]] == [(2, "2"), (3, "3"), (4, "4")]
    assert ([each["seq"] for each in rest["events"]], rest["next_after"], rest["head_seq"]) == ([5], None, 5)


def test_a_secret_never_comes_back(agent: Agent) -> None:
    session = agent.open()
    secret = "ghp_" + "a1B2" * 9

    agent.append(session, ("user.message", {"text": f"my token is {secret}"}))

    assert secret not in agent.get(f"/sessions/{session}/events").content.decode()


def built(agent: Agent, session: str, **more: object) -> Json:
    answer = agent.post(f"/sessions/{session}/steps", {"build_id": str(uuid4()), **more})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_an_agent_builds_answers_and_builds_again(agent: Agent) -> None:
    session = agent.open(external_id="run-8")
    agent.append(session, ("user.message", {"text": "Fix the parser."}))
    first = built(agent, session)
    agent.append(
        session,
        ("tool.requested", {"call_id": "c1", "name": "Bash", "input": {"command": "ls"}, "message_id": "m1"}),
        ("tool.completed", {"call_id": "c1", "content": "parser.py"}),
    )
    second = built(agent, session)

    steps = agent.get(f"/sessions/{session}/steps").json()
    assert (first["step"], second["step"], steps["total"]) == (1, 2, 2)
    assert [(step["number"], step["log_seq"], step["first_seq"], step["origins"]) for step in steps["steps"]] == [
        (1, 1, 3, ["built"]),
        (2, 4, None, ["built"]),
    ]
    assert [block["digest"] for block in first["request"]["blocks"]][0] == second["request"]["blocks"][0]["digest"]
    assert agent.get(f"/sessions/{session}/steps/2/ledger").json() == second["ledger"]
    sums = sum(row["afterTokens"] for row in second["ledger"]["included"])
    assert sums + second["ledger"]["overhead"] + second["ledger"]["margin"] == second["ledger"]["totalTokens"]


def test_a_retried_build_answers_the_same_bytes(agent: Agent) -> None:
    session = agent.open()
    agent.append(session, ("user.message", {"text": "Fix the parser."}))
    body = {"build_id": str(uuid4())}

    first = agent.post(f"/sessions/{session}/steps", body)
    agent.append(session, ("user.message", {"text": "And more."}))
    again = agent.post(f"/sessions/{session}/steps", body)

    assert first.content == again.content
    is_problem(agent.post(f"/sessions/{session}/steps", {**body, "model": "gpt-4o"}), 409, "build_id_conflict")


@pytest.mark.parametrize("provider", [openai, responses, anthropic])
def test_a_request_comes_in_the_form_that_was_asked_for(agent: Agent, provider: ModuleType) -> None:
    session = agent.open(model="gpt-4o")
    agent.append(session, ("user.message", {"text": "Fix the parser."}))

    answer = built(agent, session, format=provider.__name__.rsplit(".")[-1])

    assert answer["request"]["model"] == "gpt-4o"
    assert provider.validate(answer["request"]) == ()
    assert "Fix the parser." in str(answer["request"].get("messages") or answer["request"]["input"])
    assert len(answer["request_sha256"]) == 64


def test_an_overflow_says_what_is_too_large_and_each_way_out(agent: Agent) -> None:
    session = agent.open(model="made-up-1", model_window_tokens=4_000)
    rules = [
        ("instructions.loaded", {"id": name, "level": "project", "path": f"{name}.md", "text": f"Rule {name}. " * 700})
        for name in "abcdef"
    ]
    agent.append(session, *rules, ("user.message", {"text": "Go."}))
    body = {"build_id": str(uuid4())}

    problem = is_problem(agent.post(f"/sessions/{session}/steps", body), 422, "context_overflow")
    again = is_problem(agent.post(f"/sessions/{session}/steps", body), 422, "context_overflow")

    assert (problem["bucket"], problem["kind"], problem["ledger"]["verdict"]) == (
        "instructions",
        "window_full",
        "context_overflow",
    )
    assert problem["floor_tokens"] > 0
    assert problem["ways_out"]
    assert {**again, "request_id": ""} == {**problem, "request_id": ""}


def test_an_unknown_window_is_a_problem_that_says_how_to_mend_it(agent: Agent) -> None:
    session = agent.open(model="made-up-1")
    agent.append(session, ("user.message", {"text": "Go."}))

    problem = is_problem(agent.post(f"/sessions/{session}/steps", {"build_id": str(uuid4())}), 422, "cannot_build")

    assert "model_window_tokens" in problem["detail"]


def test_a_session_ends_once(agent: Agent) -> None:
    session = agent.open()

    first = agent.post(f"/sessions/{session}/end", {"reason": "done"})
    again = agent.post(f"/sessions/{session}/end", {"reason": "done"})

    assert (first.status_code, again.status_code) == (200, 200)
    assert (first.json()["head_seq"], again.json()["head_seq"]) == (1, 1)
    assert first.json()["ended_at"] is not None
    is_problem(agent.post(f"/sessions/{session}/end", {"reason": "other"}), 409, "event_id_conflict")


def test_ledgers_of_recorded_sessions_are_read_by_origin(world: World, agent: Agent) -> None:
    session = recorded(world, two_turns())
    simulate_step(step_id=step_id_of(session_id=session.id, number=3))

    path = f"/sessions/{session.id}/steps/3/ledger"
    origins = [agent.get(path, **query).json()["origin"] for query in ({}, {"origin": "simulated"})]

    assert origins == ["observed", "simulated"]
    is_problem(agent.get(path, origin="built"), 404, "ledger_not_found")
    is_problem(agent.get(path, origin="guessed"), 422, "invalid_field")
    is_problem(agent.get(f"/sessions/{session.id}/steps/44/ledger"), 404, "ledger_not_found")
    is_problem(agent.post(f"/sessions/{session.id}/steps", {"build_id": str(uuid4())}), 422, "cannot_build")


def test_an_answer_of_the_agent_is_indexed_when_somebody_looks(agent: Agent) -> None:
    session = agent.open()
    agent.append(session, ("user.message", {"text": "Hi."}), ("model.message", {"message_id": "m1", "text": "Hello."}))

    index_session(session_id=session)  # type: ignore[arg-type]  # the id as text does too

    assert agent.get(f"/sessions/{session}/steps").json()["total"] == 1
    update_session_facts(session_id=session, title="Greeting")  # type: ignore[arg-type]  # the id as text does too
    assert agent.get(f"/sessions/{session}").json()["title"] == "Greeting"
