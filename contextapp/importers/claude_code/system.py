"""Records of type `system`: compactions, the end of a turn, errors of the connection, and notes to the person."""

from __future__ import annotations

from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.claude_code.harness_text import resource
from contextapp.importers.claude_code.reading import Calls, Reading, folded
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact

_BY = "claude-code"
# Shown to the person; the model does not get them.
_NOTES = frozenset(
    {"local_command", "away_summary", "bridge_status", "informational", "scheduled_task_fire", "turn_limit"}
)


def read_system(record: Json, calls: Calls) -> Reading:
    subtype = fields.string(record, "subtype")
    record_id = fields.string(record, "uuid")
    if subtype == "compact_boundary":
        return Reading((_boundary(record),))
    if subtype == "microcompact_boundary":
        return Reading((_cleared(record),))
    if subtype == "turn_duration":
        duration = fields.count(record, "durationMs")
        return _ended({"stop_reason": "end_turn", "duration_ms": duration})
    if subtype == "stop_hook_summary":
        held = fields.flag(record, "preventedContinuation")
        return _ended({"stop_reason": "stop_hook" if held else "end_turn"})
    if subtype == "api_error":
        return Reading((_api_error(record, record_id),))
    if subtype == "session_start":
        return folded("session_start")
    if subtype in _NOTES:
        text = fields.string(record, "content")
        return Reading((resource(subtype, text, record_id=record_id, visibility="ui"),))
    unknown = {"record_type": f"system/{subtype}", "record": record}
    return Reading((Fact(events.IMPORT_UNKNOWN, unknown, "audit"),))


def _ended(payload: Json) -> Reading:
    return Reading((Fact(events.TURN_COMPLETED, payload),), ends_turn=True)


def _boundary(record: Json) -> Fact:
    metadata = fields.mapping(record, "compactMetadata") or {}
    payload: Json = {
        "part": "boundary",
        "trigger": fields.string(metadata, "trigger", path="compactMetadata.trigger"),
        "before_tokens": fields.count(metadata, "preTokens", path="compactMetadata.preTokens"),
        "by": _BY,
    }
    after = fields.count(metadata, "postTokens", path="compactMetadata.postTokens")
    return Fact(events.SESSION_COMPACTED, payload | ({} if after is None else {"after_tokens": after}))


def _cleared(record: Json) -> Fact:
    metadata = fields.required_mapping(record, "microcompactMetadata")
    before = fields.count(metadata, "preTokens", path="microcompactMetadata.preTokens")
    saved = fields.count(metadata, "tokensSaved", path="microcompactMetadata.tokensSaved")
    call_ids = fields.items(metadata, "compactedToolIds", path="microcompactMetadata.compactedToolIds")
    payload = {
        "part": "cleared",
        "trigger": fields.string(metadata, "trigger", path="microcompactMetadata.trigger"),
        "before_tokens": before,
        "after_tokens": max(before - saved, 0) if before is not None and saved is not None else None,
        "cleared_call_ids": [_call_id(value, number) for number, value in enumerate(call_ids)],
        "by": _BY,
    }
    return Fact(events.SESSION_COMPACTED, payload)


def _call_id(value: Any, number: int) -> str:
    if not isinstance(value, str):
        field = f"microcompactMetadata.compactedToolIds[{number}]"
        raise UnfitLine("wrong_type", field=field, detail=f"expected a string, found {kind_of(value)}")
    return value


def _api_error(record: Json, record_id: str) -> Fact:
    """A call that failed and will be tried again: text for the person, as the harness shows it."""
    error = record.get("error")
    text = status = None
    if isinstance(error, dict):
        text = error.get("formatted") or error.get("message")
        status = error.get("status")
    payload = {
        "message_id": record_id,
        "text": text if isinstance(text, str) else fields.string(record, "content"),
        "model": "",
        "synthetic": True,
        "error_status": status if isinstance(status, int) else None,
    }
    return Fact(events.MODEL_MESSAGE, payload, "ui")
