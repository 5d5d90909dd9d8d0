"""One event of OpenHands V1 to facts. Which answer an action belongs to, and what it was billed, is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.arrays import answers
from contextapp.importers.arrays.responses import content_of
from contextapp.importers.arrays.tools import tools_fact
from contextapp.importers.contract import Json
from contextapp.importers.conversation import Said, instruction, unknown
from contextapp.importers.identity import Fact
from contextapp.importers.openai_chat.content import read_content
from contextapp.importers.openhands_v0.actions import included
from contextapp.importers.openhands_v1.results import read_error, read_rejection, read_result

_FOLDED = {
    "CondensationRequest": "condensation_request",
    "CondensationSummaryEvent": "repeats_condensation",
    "TokenEvent": "token_ids",
    "StreamingDeltaEvent": "streamed_piece",
    "LLMCompletionLogEvent": "log_of_a_request",
    "ResumeEvent": "agent_state",
}
_ENDS = frozenset({"finished", "error", "stuck", "paused"})


def read_event(event: Json, native: str, is_first: bool) -> Said:
    """`is_first`: no earlier event told the text of the same answer."""
    at = fields.moment(event, "timestamp")
    kind = fields.required_string(event, "kind")
    if kind in _FOLDED:
        return Said(folded=_FOLDED[kind], at=at)
    if reader := _READERS.get(kind):
        return Said(reader(event, native), folded="empty_event", at=at)
    if kind == "ActionEvent":
        return Said(_action(event, native, is_first), at=at)
    if kind == "ConversationStateUpdateEvent":
        return Said(_state(event), folded="agent_state", at=at)
    return Said((unknown(kind, event),), at=at)


def message_id_of(event: Json, native: str) -> str:
    found = event.get("llm_response_id")
    return found if isinstance(found, str) and found else native


def _system(event: Json, native: str) -> tuple[Fact, ...]:
    facts = [
        instruction(text, name)
        for name in ("system_prompt", "dynamic_context")
        if (text := _text(event.get(name), name))
    ]
    tools = fields.items(event, "tools")
    return (*facts, *((tools_fact(tools, "tools"),) if tools else ()))


def _text(value: Any, path: str) -> str:
    return content_of([value] if isinstance(value, dict) else value, path)[0]


def _message(event: Json, native: str) -> tuple[Fact, ...]:
    message = fields.required_mapping(event, "llm_message")
    source = fields.string(event, "source")
    text, attached = read_content(message, "llm_message.")
    if source == "agent":
        message_id = message_id_of(event, native)
        return (*_thoughts(message, "llm_message.", message_id), answers.message(text, message_id))
    beside, _ = content_of(event.get("extended_content"), "extended_content")
    extra = (included("extended_content", "beside the message", beside, native),) if beside else ()
    if source != "user":
        return (included("harness_message", f"message of the {source}", text, native), *extra)
    payload: Json = {"text": text, "message_id": native}
    return (Fact(events.USER_MESSAGE, payload | ({"media": attached} if attached else {})), *extra)


def _action(event: Json, native: str, is_first: bool) -> tuple[Fact, ...]:
    message_id = message_id_of(event, native)
    call = fields.mapping(event, "tool_call") or {}
    name = fields.string(event, "tool_name") or fields.string(call, "name", path="tool_call.name") or "unnamed"
    call_id = fields.string(event, "tool_call_id") or fields.string(call, "id", path="tool_call.id") or native
    arguments = call.get("arguments")
    if arguments is None and isinstance(call.get("function"), dict):
        arguments = call["function"].get("arguments")
    if arguments is None:
        action = fields.mapping(event, "action") or {}
        arguments = {part: value for part, value in action.items() if part != "kind"}
    facts: list[Fact] = []
    if is_first:
        facts += _thoughts(event, "", message_id)
        thought, _ = content_of(event.get("thought"), "thought")
        if thought:
            facts.append(answers.message(thought, message_id))
    return (*facts, answers.call(call_id, name, answers.arguments_of(arguments), message_id))


def _thoughts(holder: Json, path: str, message_id: str) -> tuple[Fact, ...]:
    reasoning = fields.string(holder, "reasoning_content", path=f"{path}reasoning_content")
    blocks = fields.items(holder, "thinking_blocks", path=f"{path}thinking_blocks")
    if not blocks:
        return (answers.thinking(reasoning, message_id),) if reasoning else ()
    read = [fields.as_mapping(block, f"{path}thinking_blocks[{number}]") for number, block in enumerate(blocks)]
    return tuple(answers.thinking(fields.string(block, "thinking"), message_id) for block in read)


def _state(event: Json) -> tuple[Fact, ...]:
    status = event.get("value") if event.get("key") == "execution_status" else None
    ends = isinstance(status, str) and status in _ENDS
    return (Fact(events.TURN_COMPLETED, {"stop_reason": status}),) if ends else ()


def _stopped(event: Json, native: str) -> tuple[Fact, ...]:
    reason = "interrupted" if event.get("kind") == "InterruptEvent" else "paused"
    return (Fact(events.TURN_COMPLETED, {"stop_reason": reason}),)


def _failed(event: Json, native: str) -> tuple[Fact, ...]:
    code, detail = fields.string(event, "code"), fields.string(event, "detail")
    text = ": ".join(part for part in (code, detail) if part)
    payload = {"message_id": native, "text": text, "model": "", "synthetic": True, "error_status": None}
    return (
        Fact(events.MODEL_MESSAGE, payload, "ui"),
        Fact(events.TURN_COMPLETED, {"stop_reason": "error", "error_code": code}),
    )


def _condensation(event: Json, native: str) -> tuple[Fact, ...]:
    """Forgotten events leave the window; the summary, if there is one, comes in their place."""
    summary = fields.string(event, "summary")
    payload: Json = {
        "part": "whole" if summary else "boundary",
        "summary": summary,
        "by": "openhands",
        "trust": "untrusted",
    }
    return (Fact(events.SESSION_COMPACTED, payload),)


_READERS: dict[str, Callable[[Json, str], tuple[Fact, ...]]] = {
    "SystemPromptEvent": _system,
    "MessageEvent": _message,
    "ObservationEvent": read_result,
    "AgentErrorEvent": read_error,
    "UserRejectObservation": read_rejection,
    "Condensation": _condensation,
    "PauseEvent": _stopped,
    "InterruptEvent": _stopped,
    "ConversationErrorEvent": _failed,
}
