"""Who gets in, and that whatever goes wrong is told as a problem."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from contextapp.accounts.models import ApiKey
from tests.api.client import ALL, Agent, agent_of, is_problem
from tests.world import World

OPERATIONS = [
    ("post", "/sessions", {}, "ingest"),
    ("get", "/sessions", None, "read"),
    ("get", "/sessions/{id}", None, "read"),
    ("post", "/sessions/{id}/end", {}, "ingest"),
    ("post", "/sessions/{id}/events", {"events": [{"event_id": str(uuid4()), "type": "a.b", "payload": {}}]}, "ingest"),
    ("get", "/sessions/{id}/events", None, "read"),
    ("post", "/sessions/{id}/steps", {"build_id": str(uuid4())}, "build"),
    ("get", "/sessions/{id}/steps", None, "read build"),
    ("get", "/sessions/{id}/steps/1", None, "read build"),
    ("get", "/sessions/{id}/steps/1/ledger", None, "read build"),
    ("get", "/sessions/{id}/steps/1/diff", None, "read build"),
    ("get", "/sessions/{id}/steps/1/request", None, "read"),
    ("get", "/sessions/{id}/why?text=a", None, "read"),
    ("post", "/sessions/{id}/verify", None, "verify"),
]


def call(agent: Agent, method: str, path: str, body: object, session: str) -> object:
    path = path.format(id=session)
    return agent.get(path) if method == "get" else agent.post(path, body)


@pytest.mark.parametrize(("method", "path", "body", "scopes"), OPERATIONS)
def test_no_operation_answers_without_a_key(world: World, method: str, path: str, body: object, scopes: str) -> None:
    session = str(world.open_session().id)

    for key in ("", "ctx_nobody_secret", "nonsense", "ctx__"):
        problem = is_problem(call(Agent(key), method, path, body, session), 401, "not_authenticated")
        assert "Bearer" in problem["detail"]


def test_a_cookie_is_no_key(world: World) -> None:
    http = Client()
    http.force_login(world.alice)

    is_problem(http.get("/api/v1/sessions"), 401, "not_authenticated")


@pytest.mark.parametrize(("method", "path", "body", "scopes"), OPERATIONS)
def test_a_key_does_what_its_scopes_say_and_no_more(
    world: World, method: str, path: str, body: object, scopes: str
) -> None:
    session = str(world.open_session(model="claude-opus-4-6").id)

    for scope in ALL:
        answer = call(agent_of(world.project, scope), method, path, body, session)
        if scope in scopes.split():
            assert answer.status_code in (200, 201, 404), answer.content
        else:
            is_problem(answer, 403, "scope_missing")


@pytest.mark.parametrize(("method", "path", "body", "scopes"), [each for each in OPERATIONS if "{id}" in each[1]])
def test_a_foreign_session_is_not_found_in_the_words_for_one_that_never_was(
    world: World, stranger: Agent, method: str, path: str, body: object, scopes: str
) -> None:
    foreign, never = str(world.open_session().id), str(uuid4())

    found = is_problem(call(stranger, method, path, body, foreign), 404, "session_not_found")
    other = is_problem(call(stranger, method, path, body, never), 404, "session_not_found")

    assert found["detail"].replace(foreign, "") == other["detail"].replace(never, "")


def test_a_foreign_session_is_no_parent(world: World, stranger: Agent) -> None:
    answer = stranger.post("/sessions", {"parent_id": str(world.open_session().id)})

    is_problem(answer, 404, "session_not_found")


def test_a_revoked_or_expired_key_opens_nothing_at_once(world: World, agent: Agent) -> None:
    assert agent.get("/sessions").status_code == 200

    for column in ("revoked_at", "expires_at"):
        ApiKey.objects.update(revoked_at=None, expires_at=None)
        ApiKey.objects.update(**{column: timezone.now()})
        is_problem(agent.get("/sessions"), 401, "not_authenticated")


def test_other_paths_and_methods_are_problems(agent: Agent) -> None:
    is_problem(agent.get("/nothing/here"), 404, "unknown_path")
    is_problem(agent.get("/sessions/not-a-uuid"), 404, "session_not_found")
    is_problem(agent.get(f"/sessions/{uuid4()}/steps/99999999999999999999/ledger"), 404, "session_not_found")
    problem = is_problem(agent.http.delete("/api/v1/sessions", headers=agent._headers()), 405, "method_not_allowed")
    assert "GET" in problem["detail"]


@pytest.mark.parametrize("query", [{"limit": "0"}, {"limit": "many"}, {"limit": "9" * 30}])
def test_bad_queries_are_named(agent: Agent, query: dict[str, str]) -> None:
    problem = is_problem(agent.get("/sessions", **query), 422, "invalid_field")

    assert problem["field"] == "limit"


def test_answers_may_not_be_cached(agent: Agent) -> None:
    assert agent.get("/sessions")["Cache-Control"] == "private, no-store"


def test_docs_are_for_development(agent: Agent) -> None:
    is_problem(agent.get("/docs"), 404, "unknown_path")
    is_problem(agent.get("/openapi.json"), 404, "unknown_path")
