"""Synthetic Claude Code transcripts of any size, made from the sessions of one seed. Written line by line, never held whole."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from tests.benchmarks import sessions

LONG = 40  # a file of gigabytes is one of long results, not of a million calls
NO_END = 10**9
WINDOW_CHARS = 600_000  # about 150,000 tokens; then the harness compacts


def write(path: Path, *, messages: int, seed: int) -> int:
    """One session of that many messages; the size in bytes."""
    return _write(path, _records(messages, seed, _session_id(path, seed)), None)


def write_megabytes(path: Path, megabytes: int, *, seed: int) -> int:
    """One session of about that size; kept when it is there already."""
    wanted = megabytes * 1024 * 1024
    if path.exists() and path.stat().st_size >= wanted:
        return path.stat().st_size
    return _write(path, _records(NO_END, seed, _session_id(path, seed), lengthen=LONG), wanted)


def _session_id(path: Path, seed: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{path.stem}-{seed}"))


def _write(path: Path, records: Iterator[dict[str, Any]], limit_bytes: int | None) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with path.open("wb") as file:
        for record in records:
            written += file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            if limit_bytes is not None and written >= limit_bytes:
                break
    return written


def _records(messages: int, seed: int, session_id: str, lengthen: int = 1) -> Iterator[dict[str, Any]]:
    number = held = 0
    for event in sessions.events(messages, seed):
        made = _record(event, lengthen)
        if made is None:
            continue
        held += len(event.payload.get("content") or "") * lengthen
        for record in (made, *(_compaction(held) if held > WINDOW_CHARS else ())):
            number += 1
            yield record | _envelope(session_id, number)
        held = 0 if held > WINDOW_CHARS else held


def _envelope(session_id: str, number: int) -> dict[str, Any]:
    second = number % 86_400
    return {
        "uuid": f"{session_id[:8]}-{number:010d}",
        "parentUuid": f"{session_id[:8]}-{number - 1:010d}",
        "sessionId": session_id,
        "timestamp": f"2026-03-01T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.000Z",
        "cwd": "/srv/bench",
        "version": "2.1.120",
        "isSidechain": False,
    }


def _compaction(held: int) -> tuple[dict[str, Any], dict[str, Any]]:
    metadata = {"trigger": "auto", "preTokens": held // 4}
    summary = {"role": "user", "content": "This session is being continued. Summary: the parser was read and changed."}
    return (
        {"type": "system", "subtype": "compact_boundary", "content": "Compacted", "compactMetadata": metadata},
        {"type": "user", "message": summary, "isCompactSummary": True, "isVisibleInTranscriptOnly": True},
    )


def _record(event: Event, lengthen: int) -> dict[str, Any] | None:
    payload = event.payload
    if event.type == kinds.USER_MESSAGE:
        return {"type": "user", "message": {"role": "user", "content": payload["text"]}}
    if event.type == kinds.TOOL_COMPLETED:
        content = payload["content"] * lengthen
        block = {"type": "tool_result", "tool_use_id": payload["call_id"], "content": content}
        return {"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": {"stdout": content}}
    if event.type == kinds.MODEL_MESSAGE:
        return _assistant(event, {"type": "text", "text": payload["text"]})
    if event.type == kinds.TOOL_REQUESTED:
        call = {"type": "tool_use", "id": payload["call_id"], "name": payload["name"], "input": payload["input"]}
        return _assistant(event, call)
    return None


def _assistant(event: Event, block: dict[str, Any]) -> dict[str, Any]:
    """Every line of a message repeats its usage, as the real ones do."""
    message_id = event.payload["message_id"]
    held = 14_000 + int(message_id.removeprefix("msg_")) * 300 % 140_000
    message = {
        "id": message_id,
        "role": "assistant",
        "model": "claude-opus-4-6",
        "content": [block],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "cache_read_input_tokens": held, "output_tokens": 150},
    }
    return {"type": "assistant", "message": message}
