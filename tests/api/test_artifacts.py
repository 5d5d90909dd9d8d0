"""Large content: put under its hash, named by an event, read whole and in part, gone with its session."""

from __future__ import annotations

from hashlib import sha256

import pytest
from django.http import HttpResponse
from pytest_django.fixtures import Settings

from contextapp.eventlog.models import Artifact, ArtifactUse
from contextapp.eventlog.services import erase_events, erase_session
from tests.api.client import Agent, is_problem

BODY = b"<script>alert(1)</script>" + bytes(range(256))
DIGEST = sha256(BODY).hexdigest()


def put(
    agent: Agent, session: str, body: bytes = BODY, digest: str = "", kind: str = "text/html", **headers: str
) -> HttpResponse:
    path = f"/api/v1/sessions/{session}/artifacts/{digest or sha256(body).hexdigest()}"
    return agent.http.put(path, body, content_type=kind, headers={**agent._headers(), **headers})


def read(agent: Agent, session: str, digest: str = DIGEST, method: str = "get", **headers: str) -> HttpResponse:
    path = f"/api/v1/sessions/{session}/artifacts/{digest}"
    return getattr(agent.http, method)(path, headers={**agent._headers(), **headers})


def naming(digest: str = DIGEST) -> tuple[str, dict[str, object]]:
    return ("tool.completed", {"call_id": "c1", "content": "see there", "artifact": {"sha256": digest}})


def test_it_is_put_once_and_read_as_it_was(agent: Agent) -> None:
    session = agent.open()

    first, again = put(agent, session), put(agent, session)

    answer = read(agent, session)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert answer.content == BODY
    assert (answer["Content-Type"], answer["X-Content-Type-Options"]) == ("text/html", "nosniff")
    assert answer["Content-Disposition"].startswith("attachment")
    head = read(agent, session, method="head")
    assert (head.status_code, head.content, head["Content-Length"]) == (200, b"", str(len(BODY)))


@pytest.mark.parametrize(
    ("wanted", "part"),
    [("bytes=0-3", BODY[:4]), ("bytes=5-", BODY[5:]), ("bytes=-7", BODY[-7:]), ("bytes=270-9999", BODY[270:])],
)
def test_a_part_is_read(agent: Agent, wanted: str, part: bytes) -> None:
    session = agent.open()
    put(agent, session)

    answer = read(agent, session, Range=wanted)

    assert (answer.status_code, answer.content) == (206, part)
    assert answer["Content-Range"].endswith(f"/{len(BODY)}")


@pytest.mark.parametrize("wanted", ["bytes=9999-", "bytes=281-", "bytes=-0"])
def test_a_part_that_is_not_there_is_named(agent: Agent, wanted: str) -> None:
    session = agent.open()
    put(agent, session)

    assert is_problem(read(agent, session, Range=wanted), 416, "range_not_satisfiable")["size_bytes"] == len(BODY)


@pytest.mark.parametrize(
    "wanted", ["bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=x-", "bytes=-", "bytes=" + "9" * 40 + "-"]
)
def test_a_range_that_is_none_is_ignored(agent: Agent, wanted: str) -> None:
    session = agent.open()
    put(agent, session)

    assert read(agent, session, Range=wanted).status_code == 200


def test_what_can_not_be_kept_is_refused(agent: Agent, settings: Settings) -> None:
    session = agent.open()
    settings.API_ARTIFACT_LIMIT_BYTES = 300

    assert is_problem(put(agent, session, digest="0" * 64), 422, "artifact_refused")["field"] == "sha256"
    assert is_problem(put(agent, session, digest="XY"), 422, "invalid_field")["field"] == "sha256"
    is_problem(put(agent, session, body=b"x" * 301), 413, "artifact_too_large")
    is_problem(put(agent, session, **{"Content-Encoding": "gzip"}), 415, "encoded_body")
    assert Artifact.objects.count() == 0


def test_a_secret_is_refused_because_a_masked_body_has_another_hash(agent: Agent, settings: Settings) -> None:
    session = agent.open()
    secret = b"AWS_ACCESS_KEY_ID=AKIAQYLPMN5HFIQR7XYA\n"

    problem = is_problem(put(agent, session, body=secret, kind="text/plain"), 422, "artifact_refused")

    assert "rule" in problem["detail"]
    assert "AKIA" not in problem["detail"]
    settings.MASKING_MODE = "flag"
    assert put(agent, session, body=secret).status_code == 201


def test_nobody_else_can_tell_that_it_is_there(agent: Agent, stranger: Agent) -> None:
    session, foreign, other = agent.open(), stranger.open(), agent.open()
    put(agent, session)

    is_problem(read(stranger, session), 404, "session_not_found")
    is_problem(read(stranger, foreign), 404, "artifact_not_found")
    is_problem(read(agent, other), 404, "artifact_not_found")
    is_problem(read(agent, other, digest="../../etc"), 404, "unknown_path")
    assert put(stranger, foreign).status_code == 201
    assert Artifact.objects.count() == 2


def test_an_event_names_what_was_put_and_nothing_else(agent: Agent) -> None:
    session = agent.open()

    problem = is_problem(agent.append(session, ("user.message", {"text": "a"}), naming()), 422, "event_refused")
    put(agent, session)
    stored = agent.append(session, naming())

    assert (problem["index"], problem["field"]) == (1, "payload.artifact.sha256")
    assert stored.status_code == 200, stored.content
    assert list(ArtifactUse.objects.values_list("seq", flat=True)) == [1]


@pytest.mark.parametrize("is_named", [True, False])
def test_it_goes_with_its_session(agent: Agent, is_named: bool) -> None:
    session = agent.open()
    put(agent, session)
    agent.append(session, naming() if is_named else ("user.message", {"text": "a"}))

    erase_session(session_id=session, reason="asked to", actor="user:alice")  # type: ignore[arg-type]  # text does too

    assert Artifact.objects.count() == 0
    is_problem(put(agent, session), 409, "session_erased")


def test_it_goes_with_the_one_event_that_names_it(agent: Agent) -> None:
    session = agent.open()
    put(agent, session)
    agent.append(session, naming())

    erase_events(session_id=session, first_seq=1, last_seq=1, reason="asked to", actor="user:alice")  # type: ignore[arg-type]

    assert Artifact.objects.count() == 0
