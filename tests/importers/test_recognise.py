"""Formats by content: a name decides nothing, and relatives of a format are not taken for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextapp.importers.recognise import HEAD_BYTES, looked_for, recognise
from tests.importers.parsing import assistant, to_lines, user

CHAT = {"role": "user", "content": "hi"}
LONG_USER = {"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": "a" * 600_000}}


def name_of(body: bytes, name: str = "anything.txt") -> str | None:
    found = recognise(body[:HEAD_BYTES], name)
    return found.name if found else None


@pytest.mark.parametrize(
    "body",
    [
        to_lines(user("hi")),
        b"rubbish\n\n" + to_lines(user("hi")),
        b"\xef\xbb\xbf" + to_lines({"type": "summary", "summary": "x", "leafUuid": "y"}, user("hi")),
        to_lines({"type": "mode", "mode": "plan", "sessionId": "s"}),
        to_lines(assistant({"type": "text", "text": "a" * 600_000})),
        to_lines(user("hi"))[:-40] + b"\n" + to_lines(user("hi")),
        to_lines(LONG_USER),
        to_lines({"parentUuid": None, **LONG_USER}),
    ],
)
def test_claude_code_is_known_by_its_records(body: bytes) -> None:
    assert name_of(body) == "claude_code"


@pytest.mark.parametrize(
    "body",
    [
        json.dumps([CHAT]).encode(),
        json.dumps([CHAT], indent=2).encode(),
        json.dumps({"messages": [CHAT], "model": "m"}).encode(),
        json.dumps([{"traj": [CHAT], "task_id": 1}], indent=1).encode(),
        json.dumps([[CHAT], [CHAT]]).encode(),
        to_lines(CHAT, CHAT),
        to_lines({"messages": [CHAT]}),
        to_lines({"messages_display": "user: hi"}),
        json.dumps([CHAT, {"role": "alien", "content": "x"}, CHAT]).encode(),
        json.dumps({"messages": [CHAT, {"role": "assistant", "content": 5}, CHAT]}).encode(),
        json.dumps([{"role": "system", "content": "x" * 400_000}, CHAT]).encode(),
        json.dumps([{"info": {"a": ["b"]}, "traj": [CHAT] * 9000}], indent=1).encode(),
    ],
)
def test_chat_messages_are_known_by_role_and_content(body: bytes) -> None:
    assert name_of(body) == "openai_chat"


@pytest.mark.parametrize(
    "value",
    [
        {"timestamp": "t", "type": "session_meta"},
        {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "parts": [{"text": "hi"}]}},
        {"role": "user", "message": {"content": [{"type": "text", "text": "hi"}]}},
        {"type": "message", "session_id": "s", "role": "user", "text": "hi"},
        {"sessionId": "s", "messages": [CHAT]},
        {"steps": [], "messages": [CHAT]},
        {"unrelated": True},
        [],
        7,
    ],
)
def test_relatives_and_strangers_are_not_recognised(value: Any) -> None:
    assert name_of(to_lines(value)) is None
    assert name_of(json.dumps(value, indent=2).encode()) is None


@pytest.mark.parametrize("body", [b"", b"\xff\xfeh\x00i\x00", b"\x00\x01\x02" * 100, b"plain words\n" * 10])
def test_what_was_looked_for_is_said(body: bytes) -> None:
    assert name_of(body) is None
    assert looked_for(body)[-1] == "."


def test_an_unknown_file_is_told_both_formats() -> None:
    assert "Claude Code" in looked_for(b"words") and "OpenAI chat" in looked_for(b"words")


@pytest.mark.parametrize("name", ["resourceSpans", "resourceLogs"])
def test_otlp_is_known_by_the_member_that_holds_everything(name: str) -> None:
    assert name_of(json.dumps({name: []}).encode()) == "otlp"
    assert name_of(json.dumps({name: [{"resource": {"a": "b" * HEAD_BYTES}}]}, indent=2).encode()) == "otlp"
    assert name_of(json.dumps({name: []}).encode() * 2) == "otlp"
