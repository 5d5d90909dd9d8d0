"""Makes lines of transcripts and reads them back, for the tests of the importers. Knows no expected result."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

from contextapp.importers.claude_code.parser import parse as parse_claude_code
from contextapp.importers.contract import ParsedEvent, ParsedLine, Source
from contextapp.importers.openai_chat.parser import parse as parse_openai_chat

SESSION = "11111111-2222-4333-8444-555555555555"
Parser = Callable[[Source], Iterator[ParsedLine]]


def record(kind: str, number: int = 1, **rest: Any) -> dict[str, Any]:
    """A record with the envelope of a real one."""
    envelope = {
        "type": kind,
        "uuid": f"record-{number}",
        "parentUuid": f"record-{number - 1}" if number > 1 else None,
        "sessionId": SESSION,
        "timestamp": f"2026-03-01T10:{number % 60:02d}:00.000Z",
        "cwd": "/home/dev/shop",
        "version": "2.1.120",
        "isSidechain": False,
    }
    return {**envelope, **rest}


def user(content: Any, number: int = 1, **rest: Any) -> dict[str, Any]:
    return record("user", number, message={"role": "user", "content": content}, **rest)


def assistant(block: dict[str, Any], number: int = 2, *, message_id: str = "msg_1", **rest: Any) -> dict[str, Any]:
    usage = rest.pop("usage", {"input_tokens": 3, "cache_read_input_tokens": 500, "output_tokens": 40})
    message = {
        "id": message_id,
        "role": "assistant",
        "model": rest.pop("model", "claude-opus-4-6"),
        "content": [block],
        "stop_reason": rest.pop("stop_reason", "end_turn"),
        "usage": usage,
    }
    return record("assistant", number, message=message, **rest)


def call(call_id: str, name: str = "Bash", number: int = 2, **arguments: Any) -> dict[str, Any]:
    return assistant({"type": "tool_use", "id": call_id, "name": name, "input": arguments}, number)


def result(call_id: str, content: Any, number: int = 3, *, is_error: bool = False, **rest: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": is_error}
    return user([block], number, **rest)


def to_lines(*records: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def read(
    body: bytes, name: str = "session.jsonl", parser: Parser = parse_claude_code, **limits: int
) -> list[ParsedLine]:
    return list(parser(Source(name, io.BytesIO(body), **limits)))


def read_chat(body: bytes, name: str = "/runs/chat.json") -> list[ParsedLine]:
    return read(body, name, parse_openai_chat)


def events_of(lines: list[ParsedLine]) -> list[ParsedEvent]:
    return [event for line in lines for event in line.drafts]


def types_of(lines: list[ParsedLine]) -> list[str]:
    return [event.type for event in events_of(lines)]


def of_type(lines: list[ParsedLine], kind: str) -> list[dict[str, Any]]:
    return [event.payload for event in events_of(lines) if event.type == kind]


def outcomes(lines: list[ParsedLine]) -> list[tuple[str, str]]:
    return [(line.disposition.value, line.reason) for line in lines]
