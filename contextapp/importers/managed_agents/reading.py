"""One event of a managed agent to the facts it states. Which request an answer belongs to is given. Changes nothing."""

from __future__ import annotations

from dataclasses import replace

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.arrays import answers
from contextapp.importers.arrays.tools import tools_fact
from contextapp.importers.claude_code.results import content_of
from contextapp.importers.contract import Json
from contextapp.importers.conversation import Said, instruction, unknown
from contextapp.importers.identity import Fact
from contextapp.importers.openhands_v0.actions import included

_CALLS = frozenset({"agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"})
_RESULTS = {
    "agent.tool_result": "tool_use_id",
    "agent.mcp_tool_result": "mcp_tool_use_id",
    "user.custom_tool_result": "custom_tool_use_id",
}
_FOLDED = frozenset({"span.model_request_start", "session.status_running", "session.status_rescheduled",
                     "session.updated", "session.deleted"})  # fmt: skip


def read_event(event: Json, native: str, request: str, model: str) -> Said:
    """`request` is the model's request that this event stands in, or the event itself."""
    at = fields.moment(event, "processed_at")
    kind = fields.required_string(event, "type")
    if kind in _FOLDED or kind.startswith("session.thread_"):
        return Said(folded=kind.rpartition(".")[2], at=at)
    return Said(_facts(kind, event, native, request, model), folded="waits_for_answer", at=at)


def _facts(kind: str, event: Json, native: str, request: str, model: str) -> tuple[Fact, ...]:
    if kind == "user.message":
        text, attached = content_of(event, "")
        payload: Json = {"text": text, "message_id": native}
        return (Fact(events.USER_MESSAGE, payload | ({"media": attached} if attached else {})),)
    if kind == "agent.message":
        return (answers.message(content_of(event, "")[0], request, model),)
    if kind == "agent.thinking":
        return (answers.thinking("", request, model),)
    if kind in _CALLS:
        name = fields.required_string(event, "name")
        called = answers.call(native, name, fields.mapping(event, "input") or {}, request, model)
        return (called, *_evaluated(fields.string(event, "evaluated_permission"), native, name))
    if kind in _RESULTS:
        text, attached = content_of(event, "")
        call_id = fields.required_string(event, _RESULTS[kind])
        return (answers.result(call_id, text, is_error=fields.flag(event, "is_error"), media=attached),)
    if kind == "user.tool_confirmation":
        is_allowed = fields.required_string(event, "result") == "allow"
        reason = fields.string(event, "deny_message")
        return (_resolved(fields.required_string(event, "tool_use_id"), is_allowed, "person", reason),)
    if kind == "user.interrupt":
        return (Fact(events.TURN_COMPLETED, {"stop_reason": "interrupted"}),)
    if kind == "span.model_request_end":
        started = fields.string(event, "model_request_start_id") or native
        return tuple(replace(bill, native=started) for bill in answers.bill(event.get("model_usage"), started, model))
    if kind == "session.status_idle":
        reason = fields.string(fields.mapping(event, "stop_reason") or {}, "type", path="stop_reason.type")
        return () if reason == "requires_action" else (Fact(events.TURN_COMPLETED, {"stop_reason": reason}),)
    if kind == "session.status_terminated":
        return (Fact(events.SESSION_ENDED, {"reason": "terminated"}),)
    if kind == "session.error":
        spoken = answers.message(fields.string(fields.mapping(event, "error") or {}, "message"), native)
        return (replace(spoken, payload=spoken.payload | {"synthetic": True}, visibility="ui"),)
    if kind == "agent.thread_context_compacted":
        return (Fact(events.SESSION_COMPACTED, {"part": "boundary", "summary": "", "by": "anthropic"}),)
    if kind.startswith("agent.thread_message_"):
        return (included("agent_message", "message between agents", content_of(event, "")[0], native),)
    return (unknown(kind, event),)


def _evaluated(policy: str, call_id: str, name: str) -> tuple[Fact, ...]:
    """What the agent's own policy said of the call: it may run, it may not, or somebody is asked."""
    if policy == "ask":
        return (Fact(events.PERMISSION_REQUESTED, {"call_id": call_id, "tool": name}),)
    return (_resolved(call_id, policy == "allow", "rule", ""),) if policy in ("allow", "deny") else ()


def _resolved(call_id: str, is_allowed: bool, by: str, reason: str) -> Fact:
    decision = "allowed" if is_allowed else "denied"
    payload = {"call_id": call_id, "decision": decision, "reason": reason, "by": by, "explicit": True}
    return Fact(events.PERMISSION_RESOLVED, payload)


def read_session(session: Json) -> Said:
    """The session as it was created: whose instructions, which tools, which model."""
    agent = fields.mapping(session, "agent") or {}
    system = fields.string(agent, "system", path="agent.system")
    tools = fields.items(agent, "tools", path="agent.tools")
    facts = [instruction(system, "system")] if system else []
    if tools:
        facts.append(tools_fact(tools, "agent.tools"))
    told = (("model", model_of(session)), ("title", fields.string(session, "title")[:200]))
    return Said(tuple(facts), folded="session", at=fields.moment(session, "created_at"), told=told)


def model_of(session: Json) -> str:
    agent = session.get("agent")
    model = agent.get("model") if isinstance(agent, dict) else None
    found = model.get("id") if isinstance(model, dict) else model
    return found if isinstance(found, str) else ""
