"""Bodies that are packed, told by their digest, or written as one event per line."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from uuid import uuid4

import pytest
from pytest_django.fixtures import Settings

from contextapp.eventlog.selectors import get_events, head_seq
from tests.api.client import Agent, event, is_problem

LINES = "application/x-ndjson"


@pytest.fixture
def path(agent: Agent) -> str:
    return f"/sessions/{agent.open()}/events"


def stored(path: str) -> int:
    return head_seq(path.split("/")[2])  # type: ignore[arg-type]  # the id as text does too


def one(text: str = "hello") -> bytes:
    return json.dumps({"events": [event("user.message", {"text": text})]}).encode()


def test_a_gzip_batch_is_stored_as_it_reads(agent: Agent, path: str) -> None:
    answer = agent.send(path, gzip.compress(one("压缩")), **{"Content-Encoding": "gzip"})

    assert answer.status_code == 200, answer.content
    assert get_events(path.split("/")[2])[0].payload == {"text": "压缩"}  # type: ignore[arg-type]


def test_a_bomb_is_unpacked_no_further_than_the_limit(agent: Agent, path: str, settings: Settings) -> None:
    settings.API_BODY_LIMIT_BYTES = 100_000
    bomb = gzip.compress(b'{"events":[' + b" " * 50_000_000 + b"]}")
    assert len(bomb) < 100_000

    is_problem(agent.send(path, bomb, **{"Content-Encoding": "gzip"}), 413, "body_too_large")


@pytest.mark.parametrize(
    "body",
    [one(), gzip.compress(one())[:-3], gzip.compress(one()) + b"more", b"\x1f\x8b", gzip.compress(one()) * 2],
    ids=["plain", "cut", "followed", "head", "twice"],
)
def test_what_is_no_whole_gzip_is_refused(agent: Agent, path: str, body: bytes) -> None:
    is_problem(agent.send(path, body, **{"Content-Encoding": "gzip"}), 400, "bad_gzip")

    assert stored(path) == 0


def test_an_empty_gzip_body_is_an_empty_body(agent: Agent, path: str) -> None:
    is_problem(agent.send(path, gzip.compress(b""), **{"Content-Encoding": "gzip"}), 422, "empty_body")


@pytest.mark.parametrize("kind", ["sha256", "sha512"])
def test_a_right_digest_is_taken(agent: Agent, path: str, kind: str) -> None:
    body = one()
    digest = base64.b64encode(hashlib.new(kind, body).digest()).decode()

    answer = agent.send(path, body, **{"Content-Digest": f"{kind.replace('sha', 'sha-')}=:{digest}:, unixsum=:AAA=:"})

    assert answer.status_code == 200, answer.content


def test_a_body_that_changed_on_its_way_is_refused_with_the_digest_that_arrived(agent: Agent, path: str) -> None:
    body = one()
    digest = base64.b64encode(hashlib.sha256(body + b" ").digest()).decode()

    problem = is_problem(agent.send(path, body, **{"Content-Digest": f"sha-256=:{digest}:"}), 400, "digest_mismatch")

    assert base64.b64encode(hashlib.sha256(body).digest()).decode() in problem["detail"]
    assert stored(path) == 0


@pytest.mark.parametrize("given", ["abc", "sha-256=abc", "sha-256=:***:", "sha-256=:a:"])
def test_a_digest_that_nobody_can_read_is_refused(agent: Agent, path: str, given: str) -> None:
    is_problem(agent.send(path, one(), **{"Content-Digest": given}), 400, "bad_digest")


def test_an_artifact_with_another_digest_is_not_stored(agent: Agent) -> None:
    body = b"content"
    name = hashlib.sha256(body).hexdigest()
    path = f"/sessions/{agent.open()}/artifacts/{name}"
    wrong = base64.b64encode(hashlib.sha256(b"other").digest()).decode()

    answer = agent.http.put(
        f"/api/v1{path}",
        body,
        content_type="text/plain",
        headers={"Authorization": f"Bearer {agent.key}", "Content-Digest": f"sha-256=:{wrong}:"},
    )

    is_problem(answer, 400, "digest_mismatch")
    is_problem(agent.get(path), 404, "artifact_not_found")


def test_lines_are_one_event_each(agent: Agent, path: str) -> None:
    lines = [json.dumps(event("user.message", {"text": f"line {n}"})) for n in range(3)]

    answer = agent.send(path, "\n".join([*lines, "", ""]).encode(), content_type=LINES)

    assert [result["seq"] for result in answer.json()["results"]] == [1, 2, 3]


def test_packed_lines_are_taken_too(agent: Agent, path: str) -> None:
    line = json.dumps(event("user.message", {"text": "x"})).encode()

    answer = agent.send(path, gzip.compress(line), content_type=LINES, **{"Content-Encoding": "gzip"})

    assert answer.status_code == 200, answer.content


@pytest.mark.parametrize(
    ("line", "code", "field"),
    [
        ("{", "bad_json", None),
        ('{"a":1,"a":2}', "bad_json", None),
        ("[]", "invalid_field", None),
        ('{"event_id":"x","type":"user.message","payload":{}}', "invalid_field", "event_id"),
    ],
)
def test_a_bad_line_is_named_and_none_is_stored(
    agent: Agent, path: str, line: str, code: str, field: str | None
) -> None:
    good = json.dumps(event("user.message", {"text": "x"}))

    problem = is_problem(agent.send(path, f"{good}\n{line}\n".encode(), content_type=LINES), 422, code)

    assert problem["index"] == 1
    assert problem.get("field") == field
    assert stored(path) == 0


def test_more_lines_than_a_batch_takes_are_refused_before_they_are_read(
    agent: Agent, path: str, settings: Settings
) -> None:
    body = b"not even json\n" * (settings.API_BATCH_LIMIT + 1)

    problem = is_problem(agent.send(path, body, content_type=LINES), 422, "invalid_field")

    assert str(settings.API_BATCH_LIMIT) in problem["detail"]


def test_only_the_batch_takes_lines(agent: Agent) -> None:
    is_problem(agent.send("/sessions", b'{"title":"x"}', content_type=LINES), 415, "not_json")


def test_the_same_lines_again_are_duplicates(agent: Agent, path: str) -> None:
    told = {"event_id": str(uuid4()), "type": "user.message", "payload": {"text": "x"}}
    body = json.dumps(told).encode()
    agent.send(path, body, content_type=LINES)

    answer = agent.send(path, body, content_type=LINES)

    assert answer.json()["results"] == [{"seq": 1, "duplicate": True}]


def test_lines_are_stored_only_at_the_head_that_was_expected(agent: Agent, path: str) -> None:
    lines = [json.dumps(event("user.message", {"text": f"line {n}"})).encode() for n in range(3)]

    first = agent.send(f"{path}?expected_head=0", lines[0], content_type=LINES)
    late = agent.send(f"{path}?expected_head=0", lines[1], content_type=LINES)
    right = agent.send(f"{path}?expected_head=1", lines[2], content_type=LINES)

    assert (first.status_code, right.status_code) == (200, 200)
    assert is_problem(late, 409, "wrong_head")["head_seq"] == 1
    assert stored(path) == 2


def test_a_json_batch_may_expect_a_head_in_the_address_too_but_not_two(agent: Agent, path: str) -> None:
    batch = {"events": [event("user.message", {"text": "x"})]}

    late = agent.post(f"{path}?expected_head=4", batch)
    two = agent.post(f"{path}?expected_head=4", {**batch, "expected_head": 0})
    right = agent.post(f"{path}?expected_head=0", {**batch, "expected_head": 0})

    is_problem(late, 409, "wrong_head")
    assert is_problem(two, 422, "invalid_field")["field"] == "expected_head"
    assert right.status_code == 200, right.content


@pytest.mark.parametrize("wrong", ["-1", "x", "1.5", str(2**63), ""])
def test_an_expected_head_that_is_no_place_is_refused(agent: Agent, path: str, wrong: str) -> None:
    line = json.dumps(event("user.message", {"text": "x"})).encode()

    problem = is_problem(agent.send(f"{path}?expected_head={wrong}", line, content_type=LINES), 422, "invalid_field")

    assert problem["field"] == "expected_head"
    assert stored(path) == 0
