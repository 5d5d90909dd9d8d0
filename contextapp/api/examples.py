"""One example per body for the OpenAPI document: a session of one turn, as an agent would send and read it."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ConfigDict

Json = dict[str, Any]  # a JSON object of the API

SESSION, BUILD, EVENT = (
    "0d2f7c1a-6a53-4c3e-9b1f-7a1c5e0f8b21",
    "9a31c0de-5b0e-4b6f-8a57-2f0b7d1c4e11",
    "4b7e2f90-1d1c-4a39-8a55-90c1b3a7d6e2",
)
REQUEST_SHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
CONTENT_SHA256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

SESSION_IN: Json = {
    "external_id": "run-2026-03-01-17",
    "title": "Find the failing test",
    "agent": "my-agent",
    "agent_version": "1.4.0",
    "model": "gpt-4o",
    "model_window_tokens": 128000,
    "user": "ada",
    "workspace_root": "/home/dev/shop",
    "started_at": "2026-03-01T09:00:00Z",
}
SESSION_ENTRY: Json = {
    "id": SESSION,
    "external_id": "run-2026-03-01-17",
    "title": "Find the failing test",
    "origin": "api",
    "agent": "my-agent",
    "agent_version": "1.4.0",
    "model": "gpt-4o",
    "model_window_tokens": 128000,
    "user": "ada",
    "started_at": "2026-03-01T09:00:00Z",
    "ended_at": None,
    "created_at": "2026-03-01T09:00:01Z",
    "turn_count": 1,
    "step_count": 1,
}
SESSION_OUT: Json = {**SESSION_ENTRY, "head_seq": 2}
SESSIONS_OUT: Json = {"sessions": [SESSION_ENTRY], "next_cursor": None, "total": 1}
END_IN: Json = {"reason": "done"}
PAYLOAD: Json = {"text": "Which test fails?"}
EVENT_IN: Json = {
    "event_id": EVENT,
    "type": "user.message",
    "payload": PAYLOAD,
    "occurred_at": "2026-03-01T09:00:02Z",
}
EVENTS_IN: Json = {"events": [EVENT_IN], "expected_head": 0}
EVENT_LINES: Json = {
    "schema": {"type": "string", "description": "One EventIn as JSON per line; empty lines count for nothing."},
    "example": json.dumps(EVENT_IN) + "\n",
}
STORED_OUT: Json = {"seq": 1, "duplicate": False}
APPENDED_OUT: Json = {"results": [STORED_OUT], "head_seq": 1}
EVENT_OUT: Json = {"seq": 1, "visibility": "model", **EVENT_IN}
EVENTS_OUT: Json = {"events": [EVENT_OUT], "next_after": None, "head_seq": 1}
REFERENCE: Json = {"sha256": CONTENT_SHA256, "size_bytes": 5, "media_type": "text/plain"}
ARTIFACT_OUT: Json = {**REFERENCE, "reference": REFERENCE}

STEP_IN: Json = {"build_id": BUILD, "model": "gpt-4o", "format": "openai"}
ROW: Json = {
    "sourceId": "event:1",
    "sourceKind": "message",
    "title": "user.message",
    "role": "user",
    "bucket": "transcript",
    "action": "keep",
    "mode": "full",
    "beforeTokens": 4,
    "afterTokens": 4,
    "events": [1],
}
LEDGER_OUT: Json = {
    "session": SESSION,
    "turn": 1,
    "step": 1,
    "origin": "built",
    "verdict": "ok",
    "included": [ROW],
    "excluded": [],
}
REQUEST: Json = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Which test fails?"}]}
BUILT_OUT: Json = {
    "step": 1,
    "turn": 1,
    "build_id": BUILD,
    "request_sha256": REQUEST_SHA256,
    "format": "openai",
    "request": REQUEST,
    "ledger": LEDGER_OUT,
}
STEP_OUT: Json = {
    "number": 1,
    "turn": 1,
    "log_seq": 1,
    "first_seq": 1,
    "last_seq": 2,
    "model": "gpt-4o",
    "phase": "",
    "marks": [],
    "origins": ["built"],
}
STEPS_OUT: Json = {"steps": [STEP_OUT], "next_after": None, "total": 1}
CHANGE_OUT: Json = {"source_id": "event:1", "title": "user.message", "token_delta": 4, "before": None, "after": ROW}
DIFF_OUT: Json = {
    "step": 2,
    "other": 1,
    "origin": "built",
    "other_origin": "built",
    "added": [CHANGE_OUT],
    "removed": [],
    "changed": [],
    "moved": [],
    "unchanged": 3,
    "total_before": 900,
    "total_after": 904,
    "token_delta": 4,
    "first_changed_token": 880,
    "buckets": [{"bucket": "transcript", "used_before": 20, "used_after": 24}],
    "message": "",
}
REQUEST_OUT: Json = {
    "step": 1,
    "origin": "built",
    "format": "openai",
    "request_sha256": REQUEST_SHA256,
    "recorded_sha256": REQUEST_SHA256,
    "same_bytes": True,
    "difference": "",
    "detail": "",
    "request": REQUEST,
}
VERDICT_OUT: Json = {
    "verdict": "verified",
    "events": 2,
    "erased": 0,
    "seq": None,
    "what": "",
    "checkpoint": 1,
    "anchored_seq": 2,
    "head_seq": 2,
    "head_hash": CONTENT_SHA256,
}
FATE_OUT: Json = {
    "action": "keep",
    "mode": "full",
    "reason": "user_message",
    "sentence": "The user's own words.",
    "displaced_by": "",
    "row": ROW,
}
WHY_OUT: Json = {
    "origin": "built",
    "seqs": [1],
    "total_events": 1,
    "runs": [{"first_step": 1, "last_step": 1, "status": "rows", "fates": [FATE_OUT]}],
    "step_count": 1,
    "next_after": None,
}


def shown(example: Json) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [example]})
