"""Events of a rollout: when turns begin and end, what calls cost, errors. What they repeat of an item is folded."""

from __future__ import annotations

from collections.abc import Callable

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.codex.changes import read_patch_end
from contextapp.importers.codex.compaction import read_boundary
from contextapp.importers.codex.content import read_parts
from contextapp.importers.codex.injected import injected_fact, notice
from contextapp.importers.codex.reading import Copy, Effect, Reading, folded
from contextapp.importers.codex.usage import read_bill, turn_usage
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact

_FOLDED = {
    **dict.fromkeys(
        (
            "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break",
            "exec_command_begin", "exec_command_end", "exec_command_output_delta", "patch_apply_begin",
            "web_search_begin", "web_search_end", "dynamic_tool_call_request", "dynamic_tool_call_response",
            "view_image_tool_call", "image_generation_begin", "image_generation_end", "plan_update", "turn_diff",
            "item_started", "raw_response_item", "mcp_tool_call_begin", "codex/event/raw_item",
        ),
        "repeated",
    ),
    "mcp_tool_call_end": "repeated",
    "account/rateLimits/updated": "rate_limits",
    "thread_settings_applied": "settings",
    "session_configured": "settings",
    "entered_review_mode": "review_mode",
    "exited_review_mode": "review_mode",
    "background_event": "notice",
    "warning": "notice",
    "deprecation_notice": "notice",
    "shutdown_complete": "notice",
}  # fmt: skip
_TEAM = ("sub_agent_", "collab_")


def read_event(payload: Json) -> Reading:
    kind = fields.required_string(payload, "type", path="payload.type")
    if kind in _FOLDED:
        return folded(_FOLDED[kind])
    if kind.startswith(_TEAM):
        return folded("sub_agent_activity")
    if reader := _READERS.get(kind):
        return reader(payload)
    unknown = {"record_type": f"event_msg/{kind}", "record": payload}
    return Reading((Fact(events.IMPORT_UNKNOWN, unknown, "audit"),))


def _started(payload: Json) -> Reading:
    turn_id = fields.string(payload, "turn_id", path="payload.turn_id")
    return Reading(effect=Effect.TURN_STARTS, folded="repeated", turn_id=turn_id)


def _completed(payload: Json) -> Reading:
    ended: Json = {"stop_reason": "end_turn"}
    duration = fields.count(payload, "duration_ms", path="payload.duration_ms")
    if duration is not None:
        ended["duration_ms"] = duration
    usage = turn_usage(payload)
    facts = (*((usage,) if usage else ()), Fact(events.TURN_COMPLETED, ended))
    return Reading(facts, effect=Effect.TURN_ENDS)


def _aborted(payload: Json) -> Reading:
    reason = fields.string(payload, "reason", path="payload.reason") or "interrupted"
    ended: Json = {"stop_reason": reason}
    duration = fields.count(payload, "duration_ms", path="payload.duration_ms")
    if duration is not None:
        ended["duration_ms"] = duration
    return Reading((Fact(events.TURN_COMPLETED, ended),), effect=Effect.TURN_ENDS)


def _prompt(payload: Json) -> Reading:
    """The interface's copy of what was typed. What no message repeats was shown to the person and not sent from here."""
    texts, _ = read_parts(payload.get("message"), "payload.message")
    text = "\n\n".join(texts)
    if not text.strip():
        return folded("empty_message")
    if injected_fact(text, "user", "") is not None:
        return folded("repeated")
    fact = Fact(events.USER_MESSAGE, {"text": text, "message_id": ""}, "ui")
    return Reading((fact,), folded="repeated", copy=Copy.PROMPT, said=(text,), title=text)


def _tokens(payload: Json) -> Reading:
    bill = read_bill(payload)
    return Reading(folded="repeated_usage", effect=Effect.BILL, bill=bill) if bill else folded("rate_limits")


def _item(payload: Json) -> Reading:
    """A plan is written in no item of its own; of the others each has one."""
    item = fields.mapping(payload, "item", path="payload.item") or {}
    text = item.get("text")
    if str(item.get("type")).lower() != "plan" or not isinstance(text, str) or not text.strip():
        return folded("repeated")
    return Reading((notice("plan", text, fields.string(item, "id", path="payload.item.id"), visibility="ui"),))


def _titled(payload: Json) -> Reading:
    title = fields.string(payload, "thread_name", path="payload.thread_name")
    return Reading(folded="title", title=title, is_given_title=True)


def _error(payload: Json) -> Reading:
    """What went wrong with the connection: text for the person, never said by a model."""
    inner = payload.get("error")
    told = inner if isinstance(inner, dict) else payload
    text = told.get("message")
    status = next((told[name] for name in ("status", "http_status_code") if isinstance(told.get(name), int)), None)
    payload = {
        "message_id": "",
        "text": text if isinstance(text, str) else "",
        "model": "",
        "synthetic": True,
        "error_status": status,
    }
    return Reading((Fact(events.MODEL_MESSAGE, payload, "ui"),))


_READERS: dict[str, Callable[[Json], Reading]] = {
    "task_started": _started,
    "turn_started": _started,
    "turn.started": _started,
    "task_complete": _completed,
    "turn_complete": _completed,
    "turn.completed": _completed,
    "turn_aborted": _aborted,
    "user_message": _prompt,
    "token_count": _tokens,
    "context_compacted": read_boundary,
    "patch_apply_end": read_patch_end,
    "thread_name_updated": _titled,
    "item_completed": _item,
    "error": _error,
    "stream_error": _error,
}
