"""Schemathesis against the committed OpenAPI document, once per kind of key: no input gives a 500 or an answer that is not
described. `SCHEMATHESIS_EXAMPLES=200` makes the long run."""

from __future__ import annotations

import json
import os
from typing import Any
from uuid import UUID, uuid4

import pytest
import schemathesis
from django import conf
from django.core.handlers.wsgi import WSGIHandler
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.client import ALL, agent_of
from tests.api.snapshot import SNAPSHOT
from tests.databases import CommittedDatabase
from tests.world import build_world

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "6"))
DOCUMENT = json.loads(SNAPSHOT.read_text())
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
OPERATIONS = [result.ok() for result in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations()]


def is_uuid(value: object) -> bool:
    try:
        return bool(UUID(str(value)))
    except ValueError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fitting", "unfit"])
@pytest.mark.parametrize("scopes", [*((scope,) for scope in ALL), ALL], ids=[*ALL, "all"])
def test_answers_are_as_described(
    committed_db: CommittedDatabase,
    monkeypatch: pytest.MonkeyPatch,
    scopes: tuple[str, ...],
    mode: GenerationMode,
) -> None:
    world, app = build_world(), WSGIHandler()
    monkeypatch.setattr(conf.settings, "API_WAITERS", 0)  # an answer that waits for events would only take time
    agent, owner = agent_of(world.project, *scopes), agent_of(world.project)
    session = owner.open()
    owner.append(session, ("user.message", {"text": "Fix the parser."}))
    owner.post(f"/sessions/{session}/steps", {"build_id": str(uuid4())})

    for operation in OPERATIONS:

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        def send(case: Any) -> None:  # a case of schemathesis
            parameters = case.path_parameters or {}
            if is_uuid(parameters.get("session_id")):
                case.path_parameters["session_id"] = session  # so that it comes further than 404
            headers = {"Authorization": f"Bearer {agent.key}", "Accept-Encoding": "identity"}
            response = case.call(app=app, base_url="http://testserver", headers=headers)
            case.validate_response(response, checks=CHECKS)

        send()
