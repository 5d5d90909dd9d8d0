"""One message of the SDK's stdio protocol to the facts it states. Which call a request asks for is given. Changes nothing."""

from __future__ import annotations

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.arrays import answers, anthropic
from contextapp.importers.arrays.tools import tools_fact
from contextapp.importers.claude_code.usage import usage_fact
from contextapp.importers.contract import Json
from contextapp.importers.conversation import Said, instruction, unknown
from contextapp.importers.identity import Fact
from contextapp.importers.openhands_v0.actions import included

_FOLDED = frozenset(
    {"stream_event", "keep_alive", "rate_limit_event", "tool_progress", "auth_status", "control_cancel_request"}
)
_STATUS = frozenset({"status", "hook_started", "hook_progress", "hook_response", "api_retry", "files_persisted"})


def read_message(message: Json, index: int) -> Said:
    at = fields.moment(message, "timestamp")
    kind = fields.required_string(message, "type")
    if kind in _FOLDED:
        return Said(folded=kind, at=at)
    if kind == "assistant":
        return Said(_answer(fields.required_mapping(message, "message"), index), at=at)
    if kind == "user":
        inner = fields.required_mapping(message, "message")
        if message.get("isReplay") is True:
            return Said(folded="repeats_sent", at=at)
        return Said(anthropic.read_message({"role": "user", **inner}, index, "message.", {}), at=at)
    if kind == "system":
        return _system(message)
    if kind == "result":
        return Said(_end(message), at=at)
    return Said((unknown(kind, message),), at=at)


def _answer(inner: Json, index: int) -> tuple[Fact, ...]:
    """The blocks of one answer come in messages of their own, each with its id and its bill so far."""
    message_id = fields.string(inner, "id", path="message.id") or f"m{index}"
    model = fields.string(inner, "model", path="message.model")
    blocks = anthropic.blocks_of(inner, "message.")
    facts = anthropic.read_answer(blocks, message_id, "message.", model)
    bill = usage_fact(inner, message_id, model)
    return (*facts, bill) if bill else facts


def _system(message: Json) -> Said:
    kind = fields.string(message, "subtype")
    if kind == "compact_boundary":
        return Said((Fact(events.SESSION_COMPACTED, {"part": "boundary", "summary": "", "by": "harness"}),))
    if kind in _STATUS:
        return Said(folded=kind)
    if kind != "init":
        return Said((unknown(f"system/{kind}", message),))
    told = tuple(
        (name, fields.string(message, own))
        for name, own in (("cwd", "cwd"), ("model", "model"), ("agent_version", "claude_code_version"))
    )
    names = [name for name in fields.items(message, "tools") if isinstance(name, str) and name]
    facts = (tools_fact([{"name": name} for name in names], "tools"),) if names else ()
    return Said(facts, folded="init", told=told)


def _end(message: Json) -> tuple[Fact, ...]:
    bill = answers.bill(message.get("usage"), "", "")
    facts = [Fact(one.type, one.payload | {"quality": "cumulative"}) for one in bill]
    for number, value in enumerate(fields.items(message, "permission_denials")):
        denial = fields.as_mapping(value, f"permission_denials[{number}]")
        call_id = fields.string(denial, "tool_use_id")
        facts.append(resolved(call_id, False, "unknown", "", native=f"denial:{call_id}"))
    reason = fields.string(message, "stop_reason") or fields.string(message, "subtype")
    payload = {"stop_reason": reason, "duration_ms": fields.count(message, "duration_ms")}
    facts.append(Fact(events.TURN_COMPLETED, payload))
    return tuple(facts)


def resolved(call_id: str, is_allowed: bool, by: str, reason: str, *, native: str = "") -> Fact:
    decision = "allowed" if is_allowed else "denied"
    payload = {"call_id": call_id, "decision": decision, "reason": reason, "by": by, "explicit": True}
    return Fact(events.PERMISSION_RESOLVED, payload, native=native)


def read_request(request: Json) -> Said:
    kind = fields.required_string(request, "subtype", path="request.subtype")
    if kind == "can_use_tool":
        name = fields.required_string(request, "tool_name", path="request.tool_name")
        call_id = fields.string(request, "tool_use_id", path="request.tool_use_id")
        return Said((Fact(events.PERMISSION_REQUESTED, {"call_id": call_id, "tool": name}),))
    if kind == "initialize":
        texts = [(name, request.get(name)) for name in ("systemPrompt", "appendSystemPrompt")]
        told = [instruction(text, name) for name, text in texts if isinstance(text, str) and text]
        return Said(tuple(told), folded="initialize")
    return Said(folded=kind[:60])


def read_response(response: Json, asked: Json, native: str) -> Said:
    """The answer to a request: of a permission, the decision in the host's own words; of a hook, a rule's."""
    inner = fields.mapping(response, "response", path="response.response") or {}
    kind = str(asked.get("subtype", "other"))
    call_id = fields.string(asked, "tool_use_id")
    if kind == "can_use_tool":
        if "behavior" not in inner:
            return Said(folded="no_decision")
        is_allowed = fields.required_string(inner, "behavior", path="response.behavior") == "allow"
        facts = [resolved(call_id, is_allowed, "unknown", fields.string(inner, "message", path="response.message"))]
        if inner.get("interrupt") is True:
            facts.append(Fact(events.TURN_COMPLETED, {"stop_reason": "interrupted"}))
        return Said(tuple(facts))
    if kind == "hook_callback":
        return Said(_hook(inner, call_id, native), folded="hook")
    return Said(folded=f"answer_to_{kind[:60]}")


def _hook(inner: Json, call_id: str, native: str) -> tuple[Fact, ...]:
    own = fields.mapping(inner, "hookSpecificOutput", path="response.hookSpecificOutput") or {}
    decision = fields.string(own, "permissionDecision") or fields.string(inner, "decision")
    reason = fields.string(own, "permissionDecisionReason") or fields.string(inner, "reason")
    facts: list[Fact] = []
    if call_id and decision in ("allow", "approve", "deny", "block"):
        facts.append(resolved(call_id, decision in ("allow", "approve"), "rule", reason))
    if text := fields.string(own, "additionalContext"):
        facts.append(included("hook_context", "context of a hook", text, native))
    return tuple(facts)
