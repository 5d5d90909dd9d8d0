"""Turns and steps out of the events of a session, in one pass. Pure: drafts in, drafts out; storage is the caller's.

A step begins with the first event of a model call, or with a `context.built`, whose answer then attaches to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from contextapp.engine import events as kinds
from contextapp.engine.events import Event, Payload
from contextapp.engine.isolation import scan
from contextapp.engine.observations.text import title_line
from contextapp.engine.projection.calls import is_model_part, model_call_key
from contextapp.engine.projection.fold import Fold
from contextapp.engine.projection.payloads import id_of, payload_of, text_of, whole
from contextapp.engine.projection.state import SessionState
from contextapp.engine.values import Verdict

TITLE_CHARS = 300
RECENT_STEPS = 200  # usage may come after the next call began; older steps are asked from storage
COMPACTION, OVERFLOW, DENIAL, INJECTION, ERROR = "compaction", "overflow", "denial", "injection", "error"
QUOTED = {kinds.TOOL_COMPLETED: "content", kinds.RESOURCE_INCLUDED: "text"}  # what may carry an injection, and where
USAGE_FIELDS = ("input_uncached", "cache_read", "cache_write", "output", "reasoning")


@dataclass(slots=True)
class TurnDraft:
    number: int
    first_seq: int
    last_seq: int
    title: str = ""
    started_at: str | None = None
    step_count: int = 0


@dataclass(slots=True)
class StepDraft:
    number: int
    turn: int
    log_seq: int
    first_seq: int | None = None
    last_seq: int | None = None
    message_id: str = ""
    model: str = ""
    phase: str = ""
    started_at: str | None = None
    usage: dict[str, Any] | None = None  # as the Step row keeps it
    marks: list[str] = field(default_factory=list)

    def mark(self, name: str) -> None:
        if name not in self.marks:
            self.marks.append(name)


@dataclass(slots=True)
class Counters:
    turns: int = 0
    steps: int = 0
    overflows: int = 0
    denials: int = 0
    errors: int = 0
    model: str = ""
    started_at: str | None = None
    ended_at: str | None = None


class Walk:
    """Feeds events to the fold and notices turns, steps and marks. `touched_*` are what the caller has to store."""

    def __init__(
        self,
        state: SessionState,
        counters: Counters,
        turn: TurnDraft | None = None,
        steps: tuple[StepDraft, ...] = (),
        awaits_answer: bool = False,
    ) -> None:
        self.fold = Fold(state)
        self.counters = counters
        self.turn = turn
        self.step = steps[-1] if steps else None
        self.touched_turns: dict[int, TurnDraft] = {}
        self.touched_steps: dict[int, StepDraft] = {}
        self.late_usage: list[tuple[str, dict[str, Any]]] = []  # (message_id, usage) of steps no longer in memory
        self._early_usage: dict[str, dict[str, Any]] = {}  # of calls whose parts come later: some harnesses bill first
        self._by_message = {step.message_id: step for step in steps if step.message_id}
        self._awaits_answer = awaits_answer  # the latest step was built and has no answer yet

    def feed(self, event: Event) -> StepDraft | None:
        """The step that begins with this event. Its input is the log up to `log_seq`, so the event is no part of it."""
        before = self.fold.state()
        self.fold.feed(event)
        after = self.fold.state()
        self.counters.started_at = self.counters.started_at or event.occurred_at
        self._follow_turn(event, after.turn)
        if event.type == kinds.CONTEXT_BUILT:
            begun: StepDraft | None = self._begin_built(event, before)
        elif is_model_part(event):
            begun = self._follow_answer(event, before, is_new=after.step > before.step)
        else:
            begun = None
        self._mark(event)
        return begun

    def _follow_turn(self, event: Event, number: int) -> None:
        if self.turn is None or number > self.turn.number:
            if number == 0:
                return  # what stands before the first turn belongs to none, unless a model call does
            self._open_turn(event, number)
        assert self.turn is not None
        if event.type == kinds.USER_MESSAGE and not self.turn.title:
            self.turn.title = _first_line(text_of(payload_of(event), "text"))
        self.turn.last_seq = event.seq
        self.touched_turns[self.turn.number] = self.turn

    def _open_turn(self, event: Event, number: int) -> TurnDraft:
        self.counters.turns += 1
        self.turn = TurnDraft(number, event.seq, event.seq, started_at=event.occurred_at)
        self.touched_turns[number] = self.turn
        return self.turn

    def _follow_answer(self, event: Event, before: SessionState, *, is_new: bool) -> StepDraft | None:
        key = model_call_key(event)
        begun = None
        if is_new and not self._awaits_answer:
            begun = self._begin(event, before, log_seq=event.seq - 1)
        step = self.step if is_new or key is None else self._by_message.get(key, self.step)
        if step is None:
            return begun
        self._awaits_answer = False
        step.first_seq = step.first_seq or event.seq
        step.last_seq = event.seq
        if key:
            step.message_id = step.message_id or key
            self._by_message[key] = step
            if is_new:
                step.usage = self._early_usage.pop(key, step.usage)
        self._name_model(step, id_of(payload_of(event), "model"))
        self.touched_steps[step.number] = step
        return begun

    def _begin_built(self, event: Event, before: SessionState) -> StepDraft:
        payload = payload_of(event)
        step = self._begin(event, before, log_seq=whole(payload, "logSeq") or event.seq - 1)
        self._name_model(step, id_of(payload, "modelId"))
        self._awaits_answer = payload.get("verdict", Verdict.OK) == Verdict.OK
        if not self._awaits_answer:
            self._count_overflow(step)
        return step

    def _begin(self, event: Event, before: SessionState, log_seq: int) -> StepDraft:
        turn = self.turn or self._open_turn(event, before.turn)
        previous = self.step.log_seq if self.step is not None else -1
        self.counters.steps += 1
        step = StepDraft(self.counters.steps, turn.number, log_seq, phase=before.phase, started_at=event.occurred_at)
        if before.compaction is not None and before.compaction.seq > previous:
            step.mark(COMPACTION)
        turn.step_count += 1
        self.touched_turns[turn.number] = turn
        self.step = self.touched_steps[step.number] = step
        if len(self._by_message) > RECENT_STEPS:
            self._by_message.pop(next(iter(self._by_message)))
        return step

    def _name_model(self, step: StepDraft, model: str) -> None:
        if model:
            step.model = model
            self.counters.model = model

    def _mark(self, event: Event) -> None:
        payload = payload_of(event)
        if event.type == kinds.USAGE_REPORTED:
            self._take_usage(payload)
        elif event.type == kinds.PERMISSION_RESOLVED and payload.get("decision") == "denied":
            self.counters.denials += 1
            self._mark_step(DENIAL)
        elif event.type == kinds.MODEL_MESSAGE and payload.get("error_status") is not None:
            self.counters.errors += 1
            self._mark_step(ERROR)
        elif event.type == kinds.TURN_COMPLETED and payload.get("error_code") == Verdict.OVERFLOW:
            self._count_overflow(self.step)
        elif event.type == kinds.TURN_COMPLETED and payload.get("stop_reason") == "error":
            self.counters.errors += 1
            self._mark_step(ERROR)
        elif event.type in QUOTED and scan(text_of(payload, QUOTED[event.type])):
            self._mark_step(INJECTION)
        elif event.type == kinds.SESSION_ENDED:
            self.counters.ended_at = event.occurred_at

    def _take_usage(self, payload: Payload) -> None:
        usage: dict[str, Any] = {name: whole(payload, name) or 0 for name in USAGE_FIELDS}
        usage["quality"] = str(payload.get("quality") or "exact")
        message_id = id_of(payload, "message_id")
        step = self._by_message.get(message_id) if message_id else self.step
        if step is not None:
            step.usage = usage
            self.touched_steps[step.number] = step
        elif message_id:
            self.late_usage.append((message_id, usage))
            self._early_usage[message_id] = usage

    def _mark_step(self, name: str) -> None:
        if self.step is not None:
            self.step.mark(name)
            self.touched_steps[self.step.number] = self.step

    def _count_overflow(self, step: StepDraft | None) -> None:
        """A build that doesn't fit leaves two events; they are one overflow."""
        if step is None or OVERFLOW not in step.marks:
            self.counters.overflows += 1
        if step is not None:
            step.mark(OVERFLOW)
            self.touched_steps[step.number] = step


def _first_line(text: str) -> str:
    """As a text column can hold it: NUL and lone surrogates, which the log keeps, are replaced here."""
    line = title_line(text)[:TITLE_CHARS]
    return line.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")
