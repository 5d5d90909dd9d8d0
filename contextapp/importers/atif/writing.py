"""A session as an ATIF trajectory: one step for each prompt and each answer, notes as steps of the system. What
has no place there goes into `extra`. Pure: it is given events and returns a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from contextapp.engine import events
from contextapp.engine.events import Event
from contextapp.engine.projection.payloads import is_erased, payload_of, text_of, whole
from contextapp.importers.atif import own
from contextapp.importers.contract import Json

VERSION = "ATIF-v1.7"
_MODEL = frozenset({events.MODEL_MESSAGE, events.MODEL_DELTA, events.MODEL_THINKING, events.TOOL_REQUESTED})
_NOTES = frozenset({events.INSTRUCTIONS_LOADED, events.RESOURCE_INCLUDED, events.SESSION_COMPACTED})


@dataclass(frozen=True, slots=True)
class Named:
    """Who ran: what stands at the head of the document."""

    session_id: str
    agent: str
    version: str = ""
    model: str = ""


def trajectory_of(named: Named, told: Iterable[Event]) -> Json:
    """The document. Its steps are in the order of the log; a result stands with the answer that called for it."""
    walk = _Walk()
    for event in told:
        if not is_erased(event):
            walk.feed(event)
    agent: Json = {"name": named.agent or "unknown", "version": named.version or "unknown"}
    agent |= {"model_name": named.model} if named.model else {}
    agent |= {"tool_definitions": list(walk.tools.values())} if walk.tools else {}
    totals = [step["metrics"] for step in walk.steps if "metrics" in step]
    return {
        "schema_version": VERSION,
        "session_id": named.session_id,
        "agent": agent,
        "steps": [{"step_id": number, **step} for number, step in enumerate(walk.steps, start=1)],
        "final_metrics": {
            "total_prompt_tokens": sum(one["prompt_tokens"] for one in totals),
            "total_completion_tokens": sum(one["completion_tokens"] for one in totals),
            "total_cached_tokens": sum(one.get("cached_tokens", 0) for one in totals),
            "total_steps": len(walk.steps),
        },
    }


@dataclass(slots=True)
class _Walk:
    steps: list[Json] = field(default_factory=list)
    tools: dict[str, Json] = field(default_factory=dict)
    _answers: dict[str, Json] = field(default_factory=dict)  # message id -> its step
    _callers: dict[str, Json] = field(default_factory=dict)  # call id -> the step that made it

    def feed(self, event: Event) -> None:
        payload = dict(payload_of(event))
        if event.type == events.USER_MESSAGE:
            self._add(event, "user", _parts(text_of(payload, "text"), payload))
        elif event.type in _MODEL and not payload.get("synthetic") and event.visibility == "model":
            self._answer(event, payload)
        elif event.type == events.TOOL_COMPLETED:
            self._result(event, payload)
        elif event.type == events.USAGE_REPORTED:
            self._bill(payload)
        elif event.type == events.TOOLS_AVAILABLE:
            self._offer(payload)
        elif event.type in _NOTES:
            self._note(event, payload)
        elif event.type in own.CARRIED and self.steps:
            held = self.steps[-1].setdefault("extra", own.extra([]))[own.MEMBER]
            held["events"].append(own.entry(event.type, payload, event.visibility))

    def _add(self, event: Event, source: str, message: Any) -> Json:
        step: Json = {"source": source, "message": message}
        if event.occurred_at:
            step = {"timestamp": event.occurred_at, **step}
        self.steps.append(step)
        return step

    def _answer(self, event: Event, payload: Json) -> None:
        message_id = text_of(payload, "message_id") or f"seq-{event.seq}"
        step = self._answers.get(message_id)
        if step is None:
            step = self._answers[message_id] = self._add(event, "agent", "")
        if model := text_of(payload, "model"):
            step["model_name"] = model
        if event.type == events.TOOL_REQUESTED:
            call_id = text_of(payload, "call_id") or f"seq-{event.seq}"
            call = {
                "tool_call_id": call_id,
                "function_name": text_of(payload, "name"),
                "arguments": payload.get("input") or {},
            }
            step.setdefault("tool_calls", []).append(call)
            self._callers[call_id] = step
            return
        name = "reasoning_content" if event.type == events.MODEL_THINKING else "message"
        between = "" if event.type == events.MODEL_DELTA else "\n\n"
        step[name] = between.join(part for part in (step.get(name, ""), text_of(payload, "text")) if part)

    def _result(self, event: Event, payload: Json) -> None:
        call_id = text_of(payload, "call_id")
        step = self._callers.get(call_id) or self._add(event, "system", "")
        result = {"source_call_id": call_id, "content": _parts(text_of(payload, "content"), payload)}
        step.setdefault("observation", {"results": []})["results"].append(result)

    def _bill(self, payload: Json) -> None:
        """The last bill of an answer counts; one of no answer has no place in a step."""
        step = self._answers.get(text_of(payload, "message_id"))
        if step is None:
            return
        fresh, read, wrote = (whole(payload, name) or 0 for name in ("input_uncached", "cache_read", "cache_write"))
        step["metrics"] = {
            "prompt_tokens": fresh + read + wrote,
            "completion_tokens": whole(payload, "output") or 0,
            "cached_tokens": read,
            **({"extra": {"cache_creation_input_tokens": wrote}} if wrote else {}),
        }

    def _offer(self, payload: Json) -> None:
        if payload.get("mode") not in ("add", "remove"):
            self.tools.clear()
        for tool in payload.get("tools") or ():
            name = text_of(tool, "name") if isinstance(tool, Mapping) else str(tool)
            self.tools.pop(name, None)
            if payload.get("mode") != "remove" and isinstance(tool, Mapping):
                function = {
                    "name": name,
                    "description": text_of(tool, "description"),
                    "parameters": tool.get("schema") or {},
                }
                self.tools[name] = {"type": "function", "function": function}

    def _note(self, event: Event, payload: Json) -> None:
        """Words for any reader, and beside them the event as it was. A range of our log means nothing in another."""
        kept = {name: value for name, value in payload.items() if name != "covers"}
        extra = own.extra([own.entry(event.type, kept, event.visibility)], instead=True)
        if event.type == events.INSTRUCTIONS_LOADED:
            self._add(event, "system", text_of(payload, "text"))["extra"] = extra
            return
        is_compaction = event.type == events.SESSION_COMPACTED
        step = self._add(event, "system", "Context compaction performed." if is_compaction else "")
        if said := text_of(payload, "summary" if is_compaction else "text"):
            step["observation"] = {"results": [{"content": said}]}
        managed = {"context_management": {"type": "compaction", "boundary": "replace"}} if is_compaction else {}
        step["extra"] = {**managed, **extra}


def _parts(text: str, payload: Json) -> Any:
    """A text alone, or parts: a picture is named by its address, or by its hash where we hold it ourselves."""
    pictures = [one for one in payload.get("media") or () if isinstance(one, Mapping)]
    if not pictures:
        return text
    parts: list[Json] = [{"type": "text", "text": text}] if text else []
    for one in pictures:
        source = {
            "media_type": str(one.get("media_type") or ""),
            "path": str(one.get("url") or f"sha256:{one.get('sha256')}"),
        }
        parts.append({"type": "image", "source": source})
    return parts
