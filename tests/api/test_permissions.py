"""Every operation x every scope, by the one table; and nothing of a foreign project is told from what never was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from ninja.operation import Operation

from contextapp.accounts import permissions
from contextapp.accounts.models import Scope
from contextapp.api.api import api
from contextapp.api.keys import KeyAuth
from tests.api.client import Agent, agent_of
from tests.memory.records import candidate
from tests.world import World

PARAMETER = re.compile(r"{(?:\w+:)?(\w+)}")


def operations() -> Iterator[tuple[str, str, Operation]]:
    for prefix, router in api._routers:  # ninja has no public way to list its operations
        for path, view in router.path_operations.items():
            for operation in view.operations:
                for method in operation.methods:
                    yield method.lower(), f"{prefix}{path}", operation


OPERATIONS = [(method, path, operation.auth_callbacks) for method, path, operation in operations()]


def call(agent: Agent, method: str, path: str, values: dict[str, Any]) -> Any:  # an answer
    filled = PARAMETER.sub(lambda found: str(values.get(found[1], 1)), path)
    headers = {"Authorization": f"Bearer {agent.key}"} if agent.key else {}
    body = {} if method in ("get", "head") else {"data": json.dumps({}), "content_type": "application/json"}
    return getattr(agent.http, method)(f"/api/v1{filled}", headers=headers, **body)


def values_of(session: object) -> dict[str, Any]:
    return {
        "session_id": session,
        "parent_id": session,
        "sha256": "0" * 64,
        "policy_number": 77,
        "rest": "nothing/here",
    }


def test_every_operation_declares_its_action() -> None:
    undeclared = []
    for method, path, operation in operations():
        [auth] = operation.auth_callbacks
        known = isinstance(auth, KeyAuth) and (auth.action in permissions.ACTIONS)
        if not known and operation.include_in_schema:
            undeclared.append(f"{method} {path}")

    assert len(OPERATIONS) > 8
    assert undeclared == []


@pytest.mark.parametrize("scope", Scope.values)
def test_a_key_does_what_the_table_says_of_its_scope(world: World, scope: str) -> None:
    agent, session = agent_of(world.project, scope), world.open_session(model="claude-opus-4-6").id
    wrong = []
    for method, path, [auth] in OPERATIONS:
        if auth.action is None:
            continue
        answer = call(agent, method, path, values_of(session))
        is_refused = answer.status_code == 403
        if is_refused == permissions.key_may([scope], auth.action) or answer.status_code >= 500:
            wrong.append((method, path, answer.status_code))

    assert wrong == []


@pytest.mark.parametrize("scope", Scope.values)
def test_a_foreign_id_is_answered_like_one_that_never_was(world: World, scope: str) -> None:
    agent = agent_of(world.foreign_project, scope)
    session = world.open_session(model="claude-opus-4-6")
    world.append(session, ("user.message", {"text": "one"}))
    told = []
    for method, path, _auth in OPERATIONS:
        never = uuid4()
        answers = [call(agent, method, path, values_of(each)) for each in (session.id, never)]
        shapes = [_shape(answer, each) for answer, each in zip(answers, (session.id, never), strict=True)]
        if PARAMETER.search(path) and (shapes[0] != shapes[1] or answers[0].status_code < 400):
            told.append((method, path, shapes))

    assert told == []


@pytest.mark.parametrize("scope", Scope.values)
def test_a_foreign_memory_record_is_answered_like_one_that_never_was(world: World, scope: str) -> None:
    agent, record = agent_of(world.foreign_project, scope), candidate(world).pk
    told = []
    for method, path, _auth in OPERATIONS:
        if "record_id" not in path:
            continue
        answers = [call(agent, method, path, {"record_id": each}) for each in (record, record + 1000)]
        shapes = [_shape(answer, each) for answer, each in zip(answers, (record, record + 1000), strict=True)]
        told.append((shapes[0] == shapes[1], answers[0].status_code in (403, 404)))

    assert told == [(True, True)] * 2


def _shape(answer: Any, session: object) -> tuple[int, str]:  # an answer
    body = re.sub(r'"request_id":\s*"[^"]*"', "", answer.getvalue().decode())
    return answer.status_code, re.sub(rf"\b{session}\b", "", body)


def test_no_operation_answers_without_a_key(world: World) -> None:
    session = world.open_session().id

    statuses = {call(Agent(""), method, path, values_of(session)).status_code for method, path, _auth in OPERATIONS}

    assert statuses == {401}
