"""Whatever arrives at the door of OpenTelemetry is answered with a status of its own, and never with a 500."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.api.client import Agent
from tests.api.test_otlp import PROTOBUF, post
from tests.importers.otlp.payloads import chat, growing, logs, said, span, traces, traces_json

BASES = {
    "protobuf": (traces(*growing(2, words=3)), PROTOBUF, "traces"),
    "json": (traces_json(*growing(2, words=3)), "application/json", "traces"),
    "logs": (logs({"event": "x", "attributes": {"session.id": "a", "body": '{"messages": []}'}}), PROTOBUF, "logs"),
}


@pytest.mark.parametrize("base", BASES)
def test_changed_bytes_are_never_a_500(agent: Agent, base: str) -> None:
    body, content_type, path = BASES[base]
    dice = random.Random(7)
    codes = set()
    for _ in range(120):
        changed = bytearray(body)
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(changed))
            changed[at : at + dice.randint(0, 3)] = dice.randbytes(dice.randint(0, 3))
        codes.add(post(agent, bytes(changed), content_type, path).status_code)

    assert codes <= {200, 400}
    assert 200 in codes or 400 in codes


@pytest.mark.parametrize(
    "body",
    [
        {"resourceSpans": None},
        {"resourceSpans": [None]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [None, 1, "x", []]}]}]},
        {"resourceSpans": {"a": 1}},
        {"resourceSpans": [{"resource": {"attributes": [{"key": 1}]}, "scopeSpans": []}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": 5}]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"startTimeUnixNano": "99999999999999999999"}]}]}]},
        {},
    ],
)
def test_json_of_another_shape_is_named(agent: Agent, body: Any) -> None:
    answer = post(agent, json.dumps(body).encode(), "application/json")

    assert answer.status_code in (200, 400), answer.content
    assert answer["Content-Type"] == "application/json"


@pytest.mark.parametrize("text", ["\x00", "\x00" * 50, "\u202e", "a" * 300_000, '{"a":' * 3000])
def test_odd_text_is_kept(agent: Agent, text: str) -> None:
    answer = post(agent, traces(span(0, chat([said("user", text)], said("assistant", text)))))

    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize("headers", [{"Content-Encoding": "br"}, {"Content-Encoding": "gzip"}])
def test_an_encoding_that_is_not_what_it_says_is_refused(agent: Agent, headers: dict[str, str]) -> None:
    assert post(agent, traces(*growing(1)), **headers).status_code in (400, 415)
