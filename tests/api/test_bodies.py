"""What the door refuses before anything is stored (reference: the ingest contract)."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from pytest_django.fixtures import Settings

from contextapp.eventlog.selectors import get_events, head_seq
from tests.api.client import Agent, event, is_problem


@pytest.fixture
def path(agent: Agent) -> str:
    return f"/sessions/{agent.open()}/events"


def batch(payload: str, **fields: str) -> bytes:
    """A batch of one event whose payload and further fields are JSON text, so that a test can send what is no JSON."""
    more = "".join(f',"{name}":{value}' for name, value in fields.items())
    return f'{{"events":[{{"event_id":"{uuid4()}","type":"user.message","payload":{payload}{more}}}]}}'.encode(
        "utf-8", "surrogatepass"
    )


@pytest.mark.parametrize(
    ("content_type", "code"),
    [
        ("text/plain", "not_json"),
        ("application/x-www-form-urlencoded", "not_json"),
        ("application/json; charset=utf-16", "not_utf8"),
        ("application/json; charset=latin-1", "not_utf8"),
        ("application/x-yaml", "not_json"),
    ],
)
def test_other_media_types_are_refused(agent: Agent, path: str, content_type: str, code: str) -> None:
    is_problem(agent.send(path, batch("{}"), content_type=content_type), 415, code)


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd", "x"])
def test_an_encoding_other_than_gzip_is_refused(agent: Agent, path: str, encoding: str) -> None:
    is_problem(agent.send(path, batch("{}"), **{"Content-Encoding": encoding}), 415, "encoded_body")


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"{", "bad_json", "not JSON"),
        (b"\xff\xfe{}", "bad_json", "UTF-8"),
        ('{"events":[]}'.encode("utf-16"), "bad_json", ""),
        (b"[]", "not_an_object", "array"),
        (b'"text"', "not_an_object", "string"),
        (b'{"events":[],"events":[]}', "bad_json", "twice"),
        (batch('{"a":NaN}'), "bad_json", "NaN"),
        (batch('{"a":-Infinity}'), "bad_json", "Infinity"),
        (batch('{"a":1e400}'), "bad_json", "/events/0/payload/a"),
        (batch('{"a":' + "1" * 5_000 + "}"), "bad_json", "digits"),
        (batch('{"a":' + "[" * 70 + "]" * 70 + "}"), "bad_json", "deeper"),
        (batch('{"a":' + "[" * 100_000 + "]" * 100_000 + "}"), "bad_json", "deeper"),
        (batch('{"a":{"b":1,"b":2}}'), "bad_json", "/events/0/payload/a/b"),
        (batch('"\\u0000'), "bad_json", ""),
        (batch('{"a":NaN,"b":' + "[" * 100_000), "bad_json", "deeper"),
        (batch('{"a":1e400,"b":}'), "bad_json", "not JSON"),
    ],
)  # fmt: skip
def test_what_is_no_strict_json_is_refused_with_its_place(
    agent: Agent, path: str, body: bytes, code: str, words: str
) -> None:
    problem = is_problem(agent.send(path, body), 422, code)

    assert words in problem["detail"]
    assert head_seq(path.split("/")[2]) == 0  # type: ignore[arg-type]  # the id as text does too


def test_a_body_over_the_limit_is_refused_before_it_is_read(agent: Agent, path: str, settings: Settings) -> None:
    settings.API_BODY_LIMIT_BYTES = 1_000

    assert agent.send(path, batch('{"text":"' + "a" * 500 + '"}')).status_code == 200
    is_problem(agent.send(path, batch('{"text":"' + "a" * 1_500 + '"}')), 413, "body_too_large")


def test_a_body_over_djangos_own_limit_is_a_problem_too(agent: Agent, path: str, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 200

    is_problem(agent.send(path, batch('{"text":"' + "a" * 500 + '"}')), 413, "body_too_large")


def test_an_event_over_the_limit_is_named(agent: Agent, path: str, settings: Settings) -> None:
    settings.API_EVENT_LIMIT_BYTES = 1_000
    events = [event("user.message", {"text": text}) for text in ("small", "large " * 400)]

    problem = is_problem(agent.post(path, {"events": events}), 413, "event_too_large")

    assert (problem["index"], problem["field"]) == (1, "payload")


def sent(agent: Agent, path: str, body: bytes, declared: str) -> HttpResponse:
    """A body that is not as long as its Content-Length says."""
    environ = {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": declared, "wsgi.input": BytesIO(body)}
    address = f"/api/v1{path}"
    return agent.http.generic("POST", address, b"", "application/json", headers=agent._headers(), **environ)


def test_a_body_that_ends_early_is_refused(agent: Agent, path: str) -> None:
    body = batch("{}")

    is_problem(sent(agent, path, body, str(len(body) + 100)), 400, "body_incomplete")
    is_problem(sent(agent, path, b"", "0"), 422, "empty_body")


@pytest.mark.parametrize("declared", ["", "-1", "many", "1e3"])
def test_a_body_without_a_length_is_refused(agent: Agent, path: str, declared: str) -> None:
    is_problem(sent(agent, path, batch("{}"), declared), 411, "length_required")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"event_id": '"not-a-uuid"'}, "event_id"),
        ({"event_id": "7"}, "event_id"),
        ({"type": '"NoDots"'}, "type"),
        ({"type": '"a.b\\u0000"'}, "type"),
        ({"type": '"' + "a." * 60 + 'a"'}, "type"),
        ({"payload": "[]"}, "payload"),
        ({"payload": "null"}, "payload"),
        ({"occurred_at": '"2026-01-01T00:00:00"'}, "occurred_at"),
        ({"occurred_at": '"3026-01-01T00:00:00Z"'}, "occurred_at"),
        ({"occurred_at": "1767225600"}, "occurred_at"),
        ({"visibility": '"secret"'}, "visibility"),
        ({"schema_version": '"1"'}, "schema_version"),
        ({"schema_version": "true"}, "schema_version"),
        ({"schema_version": "1.0"}, "schema_version"),
        ({"schema_version": str(2**63)}, "schema_version"),
        ({"seq": "5"}, "seq"),
    ],
)
def test_envelope_fields_are_strict_and_named(agent: Agent, path: str, fields: dict[str, str], field: str) -> None:
    good = {"event_id": f'"{uuid4()}"', "type": '"user.message"', "payload": "{}"}
    bad = "{" + ",".join(f'"{name}":{value}' for name, value in {**good, **fields}.items()) + "}"
    fine = json.dumps(event("user.message", {"text": "fine"}))

    problem = is_problem(agent.send(path, f'{{"events":[{fine},{bad}]}}'.encode()), 422, "invalid_field")

    assert (problem["index"], problem["field"]) == (1, field)
    assert head_seq(path.split("/")[2]) == 0  # type: ignore[arg-type]  # the id as text does too


@pytest.mark.parametrize(
    "payload",
    [
        '{"text":"nul \\u0000 and lone \\ud800"}',
        '{"\\u0000key":"\\udfff"}',
        '{"numbers":[1E2,-0.0,-0,1e-7,18446744073709551616,0.1]}',
        '{"$ref":1,"__class__":"x","__proto__":{"a__b":"%s"}}',
        '{"text":"<|endoftext|>\\u202e"}',
    ],
)
def test_payloads_are_kept_as_they_were_written(agent: Agent, path: str, payload: str) -> None:
    answer = agent.send(path, batch(payload))

    assert answer.status_code == 200, answer.content
    read = agent.get(path).content.decode()
    assert f'"payload":{payload}' in read


def test_a_batch_over_the_limit_is_refused(agent: Agent, path: str, settings: Settings) -> None:
    events: list[Any] = [event("user.message", {}) for _ in range(settings.API_BATCH_LIMIT + 1)]

    is_problem(agent.post(path, {"events": events}), 422, "invalid_field")
    is_problem(agent.post(path, {"events": []}), 422, "invalid_field")
    assert get_events(path.split("/")[2]) == []  # type: ignore[arg-type]  # the id as text does too
