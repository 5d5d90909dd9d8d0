"""The door of OpenTelemetry: what a real exporter sends is stored once, what can't be taken is counted, nothing is a 500."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from contextapp.contexts.services import index_session
from contextapp.eventlog import selectors as log
from contextapp.eventlog.models import Payload, Session
from tests.api.client import Agent, agent_of
from tests.importers.otlp.payloads import chat, growing, logs, said, span, traces, traces_json
from tests.world import World

PROTOBUF = "application/x-protobuf"


def post(agent: Agent, body: bytes, content_type: str = PROTOBUF, path: str = "traces", **headers: str) -> HttpResponse:
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)
    given = {"Authorization": f"Bearer {agent.key}", **headers}
    return client.post(f"/v1/{path}", body, content_type=content_type, headers=given)


def session_of(world: World, key: str = "otlp:conversation:run-1") -> Session:
    return Session.objects.get(project=world.project, external_id=key, erased_at=None)


def told(session: Session, kind: str) -> list[dict[str, Any]]:
    return [dict(event.payload) for event in log.get_events(session.id) if event.type == kind]


def is_whole(answer: HttpResponse) -> None:
    assert (answer.status_code, answer["Content-Type"]) == (200, PROTOBUF), answer.content
    assert ExportTraceServiceResponse.FromString(answer.content).partial_success.rejected_spans == 0, answer.content


def test_a_conversation_is_a_session_with_steps_and_ledgers(agent: Agent, world: World) -> None:
    is_whole(post(agent, traces(*growing(3))))

    session = session_of(world)
    indexed = index_session(session_id=session.id)
    session.refresh_from_db()
    assert (indexed.turns, indexed.steps, indexed.ledgers) == (3, 3, 3)
    assert (session.agent, session.model, session.origin) == ("my-agent", "claude-opus-4-6", "import")
    assert [one["text"][:10] for one in told(session, "user.message")] == [f"question {n}" for n in range(3)]


def test_history_repeated_in_every_span_is_stored_once(agent: Agent, world: World) -> None:
    def stored(calls: int, name: str) -> int:
        for one in growing(calls, words=200, session=name):
            is_whole(post(agent, traces({**one, "trace": f"{calls:032x}"})))
        session = session_of(world, f"otlp:conversation:{name}")
        return sum(len(bytes(one.body)) for one in Payload.objects.filter(session_id=session.id))

    small, large = stored(5, "small"), stored(20, "large")

    assert large < 4.4 * small


def test_a_delivery_sent_again_stores_nothing(agent: Agent, world: World) -> None:
    body = traces(*growing(4))
    is_whole(post(agent, body))
    before = log.head_seq(session_of(world).id)

    is_whole(post(agent, body))
    is_whole(post(agent, traces(*growing(4)[2:])))

    assert log.head_seq(session_of(world).id) == before


def test_deliveries_that_change_places_tell_each_message_once(agent: Agent, world: World) -> None:
    spans = growing(4)

    is_whole(post(agent, traces(*spans[2:])))
    is_whole(post(agent, traces(*spans[:2])))

    session = session_of(world)
    assert [one["text"][:10] for one in told(session, "user.message")] == [f"question {n}" for n in range(4)]
    assert [one["text"][:8] for one in told(session, "model.message")] == [f"answer {n}" for n in range(4)]
    assert len(told(session, "usage.reported")) == 4
    index_session(session_id=session.id)
    session.refresh_from_db()
    assert session.step_count == 4


def test_two_sessions_in_one_delivery_stay_apart(agent: Agent, world: World) -> None:
    ours, theirs = growing(3, session="a"), growing(3, session="b", first=100)
    mixed = [one for pair in zip(ours, theirs, strict=True) for one in pair]

    is_whole(post(agent, traces(*mixed)))

    for name in "ab":
        session = session_of(world, f"otlp:conversation:{name}")
        assert [f"of {name}:" in one["text"] for one in told(session, "user.message")] == [True] * 3


def test_json_means_the_same_as_protobuf(agent: Agent, world: World) -> None:
    answer = post(agent, traces_json(*growing(3)), "application/json")
    assert (answer.status_code, json.loads(answer.content)) == (200, {})
    before = log.head_seq(session_of(world).id)

    is_whole(post(agent, traces(*growing(3))))

    assert log.head_seq(session_of(world).id) == before


def test_gzip_is_taken(agent: Agent, world: World) -> None:
    is_whole(post(agent, gzip.compress(traces(*growing(1))), **{"Content-Encoding": "gzip"}))

    assert len(told(session_of(world), "user.message")) == 1


def test_spans_that_can_not_be_taken_are_counted_and_named(agent: Agent, world: World) -> None:
    spans = [*growing(1), span(50, {"http.method": "GET"}), span(51, chat([], None), trace="0" * 32)]

    answer = post(agent, traces(*spans))

    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (answer.status_code, partial.rejected_spans) == (200, 2)
    assert "not_genai" in partial.error_message
    assert "traceId" in partial.error_message
    assert len(told(session_of(world), "user.message")) == 1


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"\xff\xff\xff", PROTOBUF),
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b"\xff", "application/json"),
    ],
)
def test_what_is_no_otlp_is_a_400_with_a_status_in_the_same_encoding(
    agent: Agent, body: bytes, content_type: str
) -> None:
    answer = post(agent, body, content_type)

    assert (answer.status_code, answer["Content-Type"]) == (400, content_type)
    if content_type == PROTOBUF:
        assert answer.content.startswith(b"\x08\x03\x12")
    else:
        assert json.loads(answer.content)["code"] == 3


def test_a_gzip_bomb_is_refused_before_it_is_unpacked(agent: Agent) -> None:
    answer = post(agent, gzip.compress(b"\0" * 40_000_000), **{"Content-Encoding": "gzip"})

    assert answer.status_code == 413


def test_only_a_key_that_may_ingest_gets_in(agent: Agent, world: World) -> None:
    reader = agent_of(world.project, "read")

    codes = [post(one, traces(*growing(1))).status_code for one in (Agent(""), Agent("ctx_no_such"), reader)]

    assert codes == [401, 401, 403]
    assert Client().get("/v1/traces").status_code == 405
    assert not Session.objects.filter(external_id__startswith="otlp:").exists()


def test_logged_request_bodies_are_exact_requests(agent: Agent, world: World) -> None:
    first = {"role": "user", "content": "List the files."}
    call = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"path": "."}}],
    }
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.py"}]}
    tools = [{"name": "ls", "description": "Lists.", "input_schema": {"type": "object"}}]
    common = {"model": "claude-opus-4-6", "system": "Be brief.", "tools": tools, "max_tokens": 100}
    asked = [{**common, "messages": [first]}, {**common, "messages": [first, call, result]}]
    answered = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-6", "content": call["content"],
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 0, "output_tokens": 7},
    }  # fmt: skip
    names = {"session.id": "run-1"}
    records = [
        {"event": "claude_code.api_request_body", "attributes": {**names, "body": json.dumps(asked[0])}},
        {"event": "claude_code.api_response_body", "attributes": {**names, "body": json.dumps(answered)}},
        {"event": "claude_code.api_request_body", "attributes": names, "body": asked[1]},
        {"event": "claude_code.api_request_body", "attributes": {**names, "body": json.dumps(asked[1])[:-20]}},
    ]

    answer = post(agent, logs(*records), path="logs")

    assert answer.status_code == 200
    assert b"broken_body" in answer.content
    session = session_of(world)
    kinds = [event.type for event in log.get_events(session.id) if event.visibility == "model"]
    assert kinds == [
        "session.created", "instructions.loaded", "tools.available", "user.message", "tool.requested", "usage.reported",
        "tool.completed",
    ]  # fmt: skip
    assert told(session, "usage.reported")[0]["input_uncached"] == 10


def test_a_history_rewritten_between_deliveries_is_a_compaction(agent: Agent, world: World) -> None:
    spans = growing(3)
    history = json.loads(spans[2]["attributes"]["gen_ai.input.messages"])
    kept = [*history[-1:], said("assistant", "answer 2: " + "reply " * 40), said("user", "go on")]
    after = [said("user", "Summary of it all."), *kept]
    is_whole(post(agent, traces(*spans)))

    is_whole(post(agent, traces(span(9, chat(after, said("assistant", "yes"))))))
    is_whole(post(agent, traces(span(10, chat([*after, said("assistant", "yes"), said("user", "more")], None)))))

    session = session_of(world)
    [compacted] = told(session, "session.compacted")
    assert compacted["summary"] == "Summary of it all."
    assert [one["text"] for one in told(session, "user.message")][3:] == ["go on", "more"]


def test_a_secret_is_masked_and_its_history_still_known(agent: Agent, world: World) -> None:
    secret = "sk-ant-api03-" + "Ab3" * 31
    first = said("user", f"my key is {secret}")
    is_whole(post(agent, traces(span(0, chat([first], said("assistant", "ok"))))))

    is_whole(post(agent, traces(span(1, chat([first, said("assistant", "ok"), said("user", "b")], None)))))

    texts = [one["text"] for one in told(session_of(world), "user.message")]
    assert len(texts) == 2
    assert secret not in texts[0]


def test_a_span_too_large_for_the_log_is_rejected_alone(agent: Agent, world: World, settings: Any) -> None:
    settings.API_EVENT_LIMIT_BYTES = 4000
    tools = json.dumps(
        [{"type": "function", "name": f"tool_{number}", "description": "d" * 500} for number in range(20)]
    )
    huge = span(0, chat([said("user", "a")], None, session="huge", **{"gen_ai.tool.definitions": tools}))

    answer = post(agent, traces(huge, *growing(1, words=5)))

    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (answer.status_code, partial.rejected_spans) == (200, 1)
    assert "refused_by_log" in partial.error_message
    assert len(told(session_of(world), "user.message")) == 1


@pytest.mark.parametrize("key", ["../../etc", "a" * 5000, "\x00\n", "\u202e", "x/thread-0", "%s'; DROP TABLE"])
def test_a_hostile_session_id_is_only_a_name(agent: Agent, world: World, key: str) -> None:
    is_whole(post(agent, traces(*growing(2, session=key))))

    [session] = Session.objects.filter(project=world.project)
    assert len(told(session, "user.message")) == 2
    assert len(session.external_id) <= 200


def test_nobody_reads_or_extends_a_session_of_another_project(agent: Agent, stranger: Agent, world: World) -> None:
    is_whole(post(agent, traces(*growing(2))))
    is_whole(post(stranger, traces(*growing(3))))

    assert len(told(session_of(world), "user.message")) == 2
    assert Session.objects.get(project=world.foreign_project).external_id == "otlp:conversation:run-1"
