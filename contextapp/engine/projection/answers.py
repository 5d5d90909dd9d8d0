"""Joins the parts of a model's answers: deltas, text blocks, thinking and calls that belong to one message. A text part after a
call begins a new message, so thought, call, thought, call stay apart; nothing here knows of results."""

from __future__ import annotations

from dataclasses import dataclass, field

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from contextapp.engine.observations.text import clean
from contextapp.engine.projection.atoms import Message, ToolCall
from contextapp.engine.projection.calls import model_call_key
from contextapp.engine.projection.payloads import arguments_of, canonical, id_of, payload_of, text_of


@dataclass(slots=True)
class Answer:
    """An assistant message in the making. `calls` holds every call it made, answered or not."""

    message_id: str
    first_seq: int
    last_seq: int
    texts: list[str] = field(default_factory=list)
    deltas: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    event_count: int = 0

    def add(self, event: Event) -> ToolCall | None:
        """Takes a part in; gives the call it made, if it is one."""
        payload = payload_of(event)
        self.event_count += 1
        self.last_seq = event.seq
        if event.type == kinds.TOOL_REQUESTED:
            made = call_of(event)
            self.calls.append(made)
            return made
        if event.type == kinds.MODEL_DELTA:
            part = payload.get("text")  # uncleaned: a character may be split between two deltas
            self.deltas.append(part if isinstance(part, str) else text_of(payload, "text"))
            return None
        text = text_of(payload, "text")
        if event.type == kinds.MODEL_THINKING:
            self.thinking.append(text)
        elif text != clean("".join(self.deltas)):  # else it is the whole of what was streamed
            self._close_deltas()
            self.texts.append(text)
        return None

    def _close_deltas(self) -> None:
        if self.deltas:
            self.texts.append(clean("".join(self.deltas)))
            self.deltas = []

    def message(self, calls: tuple[ToolCall, ...]) -> Message:
        self._close_deltas()
        return Message(
            role="assistant",
            text="\n\n".join(text for text in self.texts if text.strip()),
            first_seq=self.first_seq,
            last_seq=self.last_seq,
            calls=calls,
            thinking="\n\n".join(text for text in self.thinking if text.strip()),
            message_id=self.message_id,
        )


def call_of(event: Event) -> ToolCall:
    found: ToolCall | None = event.derived.get("call")
    if found is None:
        found = event.derived["call"] = _call(event)
    return found


def _call(event: Event) -> ToolCall:
    payload = payload_of(event)
    return ToolCall(
        call_id=id_of(payload, "call_id"),
        name=text_of(payload, "name"),
        arguments=canonical(arguments_of(payload)),
        seq=event.seq,
    )


class Joiner:
    """Finds the answer that a part belongs to, or begins one."""

    def __init__(self) -> None:
        self._by_id: dict[str, Answer] = {}
        self._latest: Answer | None = None
        self._is_open = False  # a part without an id still belongs to the latest answer

    def interrupt(self, *, is_user: bool) -> None:
        """A result ends an answer that has no id; a user message ends every answer."""
        self._is_open = False
        if is_user:
            self._by_id.clear()

    def place(self, event: Event) -> tuple[Answer, bool]:
        """The answer, and whether it was begun for this part."""
        key = model_call_key(event) or ""
        found = self._by_id.get(key) if key else None
        if found is None and self._is_open and self._latest and (not key or not self._latest.message_id):
            found = self._latest
        if found and found.calls and event.type != kinds.TOOL_REQUESTED:
            found = None
        answer = found or Answer(key, event.seq, event.seq)
        if key:
            answer.message_id = answer.message_id or key
            self._by_id[key] = answer
        self._latest = answer
        self._is_open = True
        return answer, found is None
