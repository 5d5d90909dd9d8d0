"""Writes a sample session as events: prompts, steps, results and what they cost. Same script, same ids, same bytes."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from contextapp.engine import events
from contextapp.engine.tokens import TiktokenCounter
from contextapp.eventlog.values import Draft
from contextapp.importers.identity import content_hash

_NAMESPACE = uuid.UUID("0d9a4b6e-5f0c-5c1f-9f4e-3a7c21e6b8d2")
_SPEECH_SECONDS, _TOOL_SECONDS = 7, 3


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call and its result. `denied` is why a person or rule said no; then `output` is what the model was told."""

    name: str
    input: Mapping[str, Any]
    output: str
    exit_code: int | None = None
    is_error: bool = False
    denied: str = ""
    denied_by: str = "person"
    asked: bool = False
    changed: str = ""  # the file it edited
    created: bool = False
    read_range: tuple[int, int, int] | None = None  # first line, last line, lines in all


@dataclass(slots=True)
class Script:
    """A session in the making. `window` counts what its own harness holds, so that the figures of its bills are likely ones."""

    slug: str
    title: str
    agent: str
    agent_version: str
    model: str
    cwd: str
    started: str
    preamble: int = 0  # tokens of a system prompt and tools that the transcript does not show
    factor: float = 1.0  # tokens billed per token counted
    parent: str = ""
    guide: dict[str, Any] | None = None
    drafts: list[Draft] = field(default_factory=list)
    step_number: int = 0
    turn_number: int = 0
    _window: int = 0
    _standing: int = 0  # instructions and tools, which no compaction takes out
    _billed_before: int = 0
    _seconds: int = 0
    _calls: int = 0
    _in_turn: bool = False

    def __post_init__(self) -> None:
        facts = {"agent": self.agent, "agent_version": self.agent_version, "model": self.model, "cwd": self.cwd}
        self.emit(events.SESSION_CREATED, {**facts, "format": "sample", "parent_session": self.parent})

    @property
    def started_at(self) -> datetime:
        return datetime.fromisoformat(self.started).replace(tzinfo=UTC)

    @property
    def seq(self) -> int:
        """Where the latest event stands."""
        return len(self.drafts)

    def emit(self, kind: str, payload: Mapping[str, Any], visibility: str = "model") -> int:
        kept = {name: value for name, value in payload.items() if value not in (None, "", ())}
        event_id = uuid.uuid5(_NAMESPACE, content_hash([self.slug, self.seq, kind, kept]))
        at = self.started_at + timedelta(seconds=self._seconds)
        self.drafts.append(Draft(event_id, kind, kept, at, visibility))
        return self.seq

    def instructions(self, path: str, text: str, level: str = "project") -> int:
        self._stand(count(text))
        return self.emit(
            events.INSTRUCTIONS_LOADED,
            {"id": f"{level}:{path}", "level": level, "name": path.rsplit("/", 1)[-1], "path": path, "text": text},
        )

    def tools(self, *tools: tuple[str, str, Sequence[str]]) -> int:
        """(name, description, names of its text parameters)."""
        made = [
            {
                "name": name,
                "description": description,
                "schema": {"type": "object", "properties": {key: {"type": "string"} for key in parameters}},
                "server": "",
            }
            for name, description, parameters in tools
        ]
        self._stand(sum(count(f"{tool['name']} {tool['description']} {tool['schema']}") for tool in made))
        return self.emit(events.TOOLS_AVAILABLE, {"tools": made, "mode": "set"})

    def resource(self, kind: str, title: str, text: str) -> int:
        self._window += count(text)
        return self.emit(
            events.RESOURCE_INCLUDED, {"id": title, "kind": kind, "title": title, "text": text, "by": "harness"}
        )

    def prompt(self, text: str, after_minutes: int = 2) -> int:
        """A turn begins. The place of the person's words."""
        if self._in_turn:
            self.emit(events.TURN_COMPLETED, {"stop_reason": "end_turn"})
        self._seconds += after_minutes * 60
        self._in_turn = True
        self.turn_number += 1
        self._window += count(text)
        self.emit(events.TURN_STARTED, {"native_id": f"turn-{self.turn_number}"})
        return self.emit(events.USER_MESSAGE, {"text": text, "message_id": f"user-{self.turn_number}"})

    def step(self, say: str = "", *calls: Call, think: str = "") -> int:
        """One model call with its bill, and the results of its tools. The number of the step."""
        self.step_number += 1
        message_id = f"message-{self.step_number}"
        billed = self.preamble + round(self._window * self.factor)
        self._seconds += _SPEECH_SECONDS
        if think:
            self.emit(events.MODEL_THINKING, {"message_id": message_id, "text": think, "model": self.model})
        if say:
            self.emit(events.MODEL_MESSAGE, {"message_id": message_id, "text": say, "model": self.model})
        named = [(self._call_id(), call) for call in calls]
        for call_id, call in named:
            requested = {"call_id": call_id, "name": call.name, "input": dict(call.input), "message_id": message_id}
            self.emit(events.TOOL_REQUESTED, {**requested, "model": self.model})
        answered = count(think + say) + sum(count(f"{call.name} {dict(call.input)}") for call in calls)
        self._bill(message_id, billed, answered)
        self._window += answered
        for call_id, call in named:
            self._answer(call_id, call)
        return self.step_number

    def overflow(self) -> None:
        """The next call would not fit: the harness stops the turn."""
        self.emit(events.TURN_COMPLETED, {"stop_reason": "error", "error_code": "context_overflow"})
        self._in_turn = False

    def clear_last_result(self, text: str) -> None:
        """The harness takes an oversized result out of its window again; the log keeps it."""
        before = self._window
        self._window -= count(text)
        cleared = {
            "part": "cleared",
            "cleared_call_ids": [f"call-{self._calls}"],
            "by": self.agent,
            "trigger": "overflow",
        }
        self.emit(events.SESSION_COMPACTED, {**cleared, "before_tokens": before, "after_tokens": self._window})

    def compact(self, summary: str, *, trigger: str, by: str, covers_from: int = 1) -> int:
        """The window is replaced by the summary. Where the summary stands."""
        before, covers = self.preamble + round(self._window * self.factor), [covers_from, self.seq]
        self._window = self._standing + count(summary)
        self._billed_before = 0
        self._seconds += 40
        after = self.preamble + round(self._window * self.factor)
        return self.emit(
            events.SESSION_COMPACTED,
            {
                "part": "whole", "summary": summary, "covers": covers, "trigger": trigger, "by": by,
                "before_tokens": before, "after_tokens": after, "trust": "untrusted",
            },
        )  # fmt: skip

    def end(self) -> Script:
        if self._in_turn:
            self.emit(events.TURN_COMPLETED, {"stop_reason": "end_turn"})
        self.emit(events.SESSION_ENDED, {"reason": "exit"})
        return self

    def _stand(self, tokens: int) -> None:
        self._standing += tokens
        self._window += tokens

    def _call_id(self) -> str:
        self._calls += 1
        return f"call-{self._calls}"

    def _bill(self, message_id: str, billed: int, output: int) -> None:
        cached = min(self._billed_before, billed)
        self._billed_before = billed
        self.emit(
            events.USAGE_REPORTED,
            {
                "message_id": message_id, "model": self.model, "input_uncached": min(3, billed - cached),
                "cache_read": cached, "cache_write": max(billed - cached - 3, 0),
                "output": round(output * self.factor), "quality": "exact",
            },
        )  # fmt: skip

    def _answer(self, call_id: str, call: Call) -> None:
        self._seconds += _TOOL_SECONDS
        if call.asked or (call.denied and call.denied_by == "person"):
            self.emit(events.PERMISSION_REQUESTED, {"call_id": call_id, "tool": call.name})
            self._seconds += 15
        if call.asked and not call.denied:
            self._resolve(call_id, "allowed", "", "person")
        self._window += count(call.output)
        payload: dict[str, Any] = {
            "call_id": call_id,
            "content": call.output,
            "is_error": call.is_error or bool(call.denied),
            "name": call.name,
            "exit_code": call.exit_code,
        }
        if call.read_range:
            first, last, total = call.read_range
            payload["read_range"] = {"first_line": first, "last_line": last, "total_lines": total}
        self.emit(events.TOOL_COMPLETED, payload)
        if call.denied:
            self._resolve(call_id, "denied", call.denied, call.denied_by)
        if call.changed:
            operation = "created" if call.created else "edited"
            self.emit(events.FILE_CHANGED, {"path": call.changed, "operation": operation, "call_id": call_id})

    def _resolve(self, call_id: str, decision: str, reason: str, by: str) -> None:
        resolved = {"call_id": call_id, "decision": decision, "reason": reason, "by": by, "explicit": True}
        self.emit(events.PERMISSION_RESOLVED, resolved)


@cache
def _counter() -> TiktokenCounter:
    return TiktokenCounter()


def count(text: str) -> int:
    return _counter().count(text) if text else 0


def bash(command: str, output: str, *, exit_code: int = 0, **rest: Any) -> Call:
    failed = exit_code != 0
    return Call("Bash", {"command": command}, output, exit_code=exit_code, is_error=failed, **rest)


def read(path: str, text: str, *, total_lines: int | None = None) -> Call:
    lines = text.count("\n") + 1
    numbered = "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(text.split("\n"), 1))
    return Call("Read", {"file_path": path}, numbered, read_range=(1, lines, total_lines or lines))


def edit(path: str, old: str, new: str) -> Call:
    arguments = {"file_path": path, "old_string": old, "new_string": new}
    return Call("Edit", arguments, f"The file {path} has been updated.", changed=path)


def grep(pattern: str, output: str) -> Call:
    return Call("Grep", {"pattern": pattern, "output_mode": "content"}, output)
