"""Actions of an OpenHands V0 history to facts: what a person said, what the model answered and called, and notes."""

from __future__ import annotations

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.arrays import answers
from contextapp.importers.arrays.tools import tools_fact
from contextapp.importers.contract import Json
from contextapp.importers.conversation import Said, instruction, unknown
from contextapp.importers.identity import Fact
from contextapp.importers.openhands_v0.shapes import call_id_of, response_id, response_of

CALLS = frozenset(
    {
        "run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "mcp", "call_tool_mcp", "think",
        "delegate", "finish", "reject", "task_tracking", "send", "kill",
    }
)  # fmt: skip
FOLDED = {
    "recall": "recall_request", "change_agent_state": "agent_state", "pause": "agent_state", "resume": "agent_state",
    "stop": "agent_state", "null": "no_action", "start": "agent_state", "condensation_request": "condensation_request",
    "loop_recovery": "agent_state", "initialize": "agent_state", "summarize": "no_action", "add_task": "no_action",
    "modify_task": "no_action",
}  # fmt: skip
# Members of an action that steer the harness and are no arguments of the tool.
_STEERING = frozenset(
    {
        "thought", "hidden", "blocking", "confirmation_state", "is_confirmed", "is_static", "security_risk", "is_input",
        "translated_ipython_code", "impl_source", "wait_for_response", "keep_prompt", "background", "cwd",
    }
)  # fmt: skip


def read_action(event: Json, native: str, source: str, is_first: bool) -> Said:
    """`is_first`: no earlier action came of the same answer, so this one tells its text and its bill."""
    at = fields.moment(event, "timestamp")
    name = fields.required_string(event, "action")
    args = fields.mapping(event, "args") or {}
    if name == "system":
        return Said(_system(args, event), at=at, told=(("agent_version", fields.string(args, "openhands_version")),))
    if name == "condensation":
        return Said((_condensation(args),), at=at)
    if name == "message":
        return Said(_message(event, args, native, source, is_first), at=at)
    if name in FOLDED:
        return Said(folded=FOLDED[name], at=at)
    if source == "agent" and (name in CALLS or call_id_of(event)):
        return Said(_call(event, name, args, native, is_first), at=at)
    if source != "agent" and name in CALLS:
        text = fields.string(args, "command") or fields.string(args, "code") or fields.string(event, "message")
        return Said((included("user_action", f"{source}: {name}", text, native, by="user"),), at=at)
    return Said((unknown(f"action/{name}", event),), at=at)


def included(kind: str, title: str, text: str, native: str, *, by: str = "harness") -> Fact:
    payload = {"id": native, "kind": kind, "title": title, "path": "", "text": text, "by": by}
    return Fact(events.RESOURCE_INCLUDED, payload)


def _system(args: Json, event: Json) -> tuple[Fact, ...]:
    text = fields.string(args, "content", path="args.content") or fields.string(event, "message")
    tools = fields.items(args, "tools", path="args.tools")
    return (instruction(text, "system"), *((tools_fact(tools, "args.tools"),) if tools else ()))


def _message(event: Json, args: Json, native: str, source: str, is_first: bool) -> tuple[Fact, ...]:
    text = fields.string(args, "content", path="args.content")
    pictures = [url for url in fields.items(args, "image_urls", path="args.image_urls") if isinstance(url, str)]
    attached = [media.from_url(url, "image/unknown") for url in pictures]
    with_media: Json = {"media": attached} if attached else {}
    if source == "user":
        return (Fact(events.USER_MESSAGE, {"text": text, "message_id": native} | with_media),)
    if source != "agent":
        return (included("harness_message", f"message of the {source}", text, native),)
    message_id = response_id(event) or native
    model = fields.string(response_of(event), "model")
    bill = answers.bill(response_of(event).get("usage"), message_id, model) if is_first else ()
    return (answers.message(text, message_id, model), *bill)


def _call(event: Json, name: str, args: Json, native: str, is_first: bool) -> tuple[Fact, ...]:
    response = response_of(event)
    message_id = response_id(event) or native
    model = fields.string(response, "model", path="tool_call_metadata.model_response.model")
    facts: list[Fact] = []
    told = _answer(response, args)
    if is_first and told[0]:
        facts.append(answers.thinking(told[0], message_id, model))
    if is_first and told[1]:
        facts.append(answers.message(told[1], message_id, model))
    call_id = call_id_of(event) or native
    metadata = fields.mapping(event, "tool_call_metadata") or {}
    called = fields.string(metadata, "function_name", path="tool_call_metadata.function_name") or name
    arguments = _arguments(response, call_id)
    if arguments is None:
        arguments = {part: value for part, value in args.items() if part not in _STEERING and value is not None}
    if name != "finish" or call_id_of(event):
        facts.append(answers.call(call_id, called, arguments, message_id, model))
    elif not told[1]:
        facts.append(answers.message(fields.string(event, "message"), message_id, model))
    if is_first:
        facts += answers.bill(response.get("usage"), message_id, model)
    return (*facts, *_asked(args, call_id, called), *_ended(name))


def _answer(response: Json, args: Json) -> tuple[str, str]:
    """What the model thought and said with its calls; without its answer, the thought that the action kept."""
    choices = fields.items(response, "choices", path="tool_call_metadata.model_response.choices")
    for choice in choices[:1]:
        message = fields.mapping(fields.as_mapping(choice, "choices[0]"), "message", path="choices[0].message") or {}
        content = message.get("content")
        if isinstance(content, list):
            content = answers.joined([str(part.get("text") or "") for part in content if isinstance(part, dict)])
        reasoning = message.get("reasoning_content")
        return (reasoning if isinstance(reasoning, str) else "", content if isinstance(content, str) else "")
    return "", fields.string(args, "thought", path="args.thought")


def _arguments(response: Json, call_id: str) -> Json | None:
    """The arguments as the model wrote them: an action repeats them in the harness's own words."""
    for choice in fields.items(response, "choices", path="tool_call_metadata.model_response.choices")[:1]:
        message = choice.get("message") if isinstance(choice, dict) else None
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and call.get("id") == call_id and isinstance(call.get("function"), dict):
                return answers.arguments_of(call["function"].get("arguments"))
    return None


def _asked(args: Json, call_id: str, tool: str) -> tuple[Fact, ...]:
    """`confirmed` is what every action says where nobody was asked; only the other two states tell of a person."""
    state = args.get("confirmation_state", args.get("is_confirmed"))
    if state == "awaiting_confirmation":
        return (Fact(events.PERMISSION_REQUESTED, {"call_id": call_id, "tool": tool}),)
    return (denied(call_id, "rejected"),) if state == "rejected" else ()


def denied(call_id: str, reason: str) -> Fact:
    payload = {"call_id": call_id, "decision": "denied", "reason": reason, "by": "person", "explicit": True}
    return Fact(events.PERMISSION_RESOLVED, payload)


def _ended(name: str) -> tuple[Fact, ...]:
    return (Fact(events.TURN_COMPLETED, {"stop_reason": name}),) if name in ("finish", "reject") else ()


def _condensation(args: Json) -> Fact:
    """Forgotten events leave the window; the summary, if there is one, comes in their place."""
    summary = fields.string(args, "summary", path="args.summary")
    forgotten = [number for number in fields.items(args, "forgotten_event_ids") if isinstance(number, int)]
    last = max(forgotten, default=fields.count(args, "forgotten_events_end_id") or 0)
    payload = {"part": "whole" if summary else "boundary", "summary": summary, "by": "openhands", "trust": "untrusted"}
    return Fact(events.SESSION_COMPACTED, payload | {"through": f"event:{last}"})
