"""A client of the API for its tests: keys of both projects, and requests sent as raw as a test needs them. Holds no test."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.world import World

ALL = ("ingest", "build", "read", "verify")
Json = dict[str, Any]  # a JSON object of the API


@dataclass
class Agent:
    key: str
    http: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def get(self, path: str, **query: Any) -> HttpResponse:
        return self.http.get(f"/api/v1{path}", query, headers=self._headers())

    def post(self, path: str, body: Any, **headers: str) -> HttpResponse:
        return self.send(path, json.dumps(body).encode(), **headers)

    def send(self, path: str, body: bytes, content_type: str = "application/json", **headers: str) -> HttpResponse:
        return self.http.post(f"/api/v1{path}", body, content_type=content_type, headers={**self._headers(), **headers})

    def open(self, **facts: Any) -> str:
        answer = self.post("/sessions", {"model": "claude-opus-4-6", **facts})
        assert answer.status_code in (200, 201), answer.content
        return str(answer.json()["id"])

    def append(self, session: str, *events: tuple[str, Json], **more: Any) -> HttpResponse:
        return self.post(f"/sessions/{session}/events", {"events": [event(*told) for told in events], **more})

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


def event(kind: str, payload: Json, **more: Any) -> Json:
    return {"event_id": str(uuid4()), "type": kind, "payload": payload, **more}


def agent_of(project: Any, *scopes: str) -> Agent:  # a project
    from contextapp.accounts.services import create_api_key

    _key, text = create_api_key(project=project, name="test", scopes=scopes or ALL, by="user:alice")
    return Agent(text)


@pytest.fixture
def agent(world: World) -> Agent:
    return agent_of(world.project)


@pytest.fixture
def stranger(world: World) -> Agent:
    return agent_of(world.foreign_project)


def is_problem(answer: HttpResponse, status: int, code: str) -> Json:
    """The problem, after a check that it is one and nothing else."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    content: Json = json.loads(answer.content)
    assert content["code"] == code, content
    assert content["status"] == status
    assert {"type", "title", "detail", "request_id"} <= set(content)
    assert content["request_id"] == answer["X-Request-Id"]
    return content
