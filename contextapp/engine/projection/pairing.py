"""Pairs calls with their results by id and order: a call arms its id, a result consumes it. Keeps one answer per call, and says
of every other why it can't stand in a transcript."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from contextapp.engine.events import Event
from contextapp.engine.projection.atoms import Message, Refused, ToolCall
from contextapp.engine.projection.messages import denial_message, denial_text, result_message
from contextapp.engine.projection.payloads import flag, id_of, payload_of, visible
from contextapp.engine.reasons import Reason


@dataclass(slots=True)
class Slot:
    """One call and what answered it. `group` tells the answer it was made in; `hidden` that the model may not see it."""

    call: ToolCall
    group: int
    hidden: bool = False
    asked: bool = False
    message: Message | None = None
    is_synthetic: bool = False
    event_count: int = 0

    @property
    def outlives(self) -> bool:
        return self.asked or bool(self.message and self.message.pending)


class Pairing:
    def __init__(self, cleared: frozenset[str]) -> None:
        self.refused: list[Refused] = []
        self._cleared = cleared
        self._waiting: dict[str, deque[Slot]] = {}
        self._newest: dict[str, Slot] = {}

    def arm(self, call: ToolCall, group: int, *, hidden: bool) -> Slot:
        """A call of the same id that an earlier answer left waiting is given up, unless it outlives its call."""
        slot = Slot(call, group, hidden)
        waiting = self._waiting.get(call.call_id, ())
        kept = deque(other for other in waiting if other.group == group or other.outlives)
        kept.append(slot)
        self._waiting[call.call_id] = kept
        self._newest[call.call_id] = slot
        return slot

    def ask(self, event: Event) -> None:
        waiting = self._waiting.get(id_of(payload_of(event), "call_id"))
        if waiting:
            waiting[0].asked = True

    def allow(self, event: Event) -> None:
        waiting = self._waiting.get(id_of(payload_of(event), "call_id"))
        if waiting:
            waiting[0].asked = False

    def answer(self, event: Event) -> None:
        """Takes a result in."""
        payload = payload_of(event)
        call_id = id_of(payload, "call_id")
        waiting = self._waiting.get(call_id)
        if not waiting:
            self._answer_again(event, self._newest.get(call_id))
            return
        slot = waiting[0]
        if not flag(payload, "pending"):
            waiting.popleft()
            slot.asked = False
        if slot.message:  # what was pending has come, or is pending still
            self._refuse_message(slot.message, Reason.SUPERSEDED)
            slot.message = None
        if slot.hidden or not visible(event):
            slot.hidden = True
            self._refuse(event, Reason.NOT_PERMITTED)
            return
        self._keep(slot, event)

    def _keep(self, slot: Slot, event: Event) -> None:
        cleared = slot.call.call_id in self._cleared and self._newest.get(slot.call.call_id) is slot
        slot.message = result_message(event, slot.call, cleared=cleared)
        slot.is_synthetic = flag(payload_of(event), "synthetic")
        slot.event_count += 1

    def _answer_again(self, event: Event, slot: Slot | None) -> None:
        if slot is None:
            self._refuse(event, Reason.ORPHAN_RESULT)
        elif slot.hidden or not visible(event):
            self._refuse(event, Reason.NOT_PERMITTED)
        elif slot.message and self._is_better(event, slot):
            reason = Reason.SUPERSEDED if slot.message.denied else Reason.DUPLICATE_RESULT
            self._refuse_message(slot.message, reason)
            self._keep(slot, event)
        elif slot.message:
            self._refuse(event, Reason.DUPLICATE_RESULT)
        else:
            self._keep(slot, event)  # it came after the call had been given up

    def _is_better(self, event: Event, slot: Slot) -> bool:
        """A real result over a made-up one; a result that succeeded over a denial. Otherwise the first stays."""
        payload = payload_of(event)
        if flag(payload, "synthetic") or flag(payload, "pending"):
            return False
        if slot.message and slot.message.denied:
            return not flag(payload, "is_error")
        return slot.is_synthetic

    def deny(self, event: Event) -> None:
        """Takes a denial in: it answers the call, or marks the error that already did."""
        call_id = id_of(payload_of(event), "call_id")
        waiting = self._waiting.get(call_id)
        slot = waiting[0] if waiting else self._newest.get(call_id)
        if slot is None:
            self._refuse(event, Reason.ORPHAN_RESULT)
        elif slot.hidden or not visible(event):
            self._refuse(event, Reason.NOT_PERMITTED)
        elif waiting:
            waiting.popleft()
            slot.asked = False
            if slot.message:
                self._refuse_message(slot.message, Reason.SUPERSEDED)
            slot.message = denial_message(event, slot.call)
            slot.event_count += 1
        elif slot.message is None or slot.is_synthetic:
            if slot.message:
                self._refuse_message(slot.message, Reason.DUPLICATE_RESULT)
            slot.message, slot.is_synthetic = denial_message(event, slot.call), False
        elif slot.message.is_error and not slot.message.denied:
            reason = denial_text(event)
            said = slot.message.text
            known = reason.split(": ", 1)[-1] in said
            slot.message = replace(slot.message, denied=True, text=said if known else f"{reason}\n{said}".rstrip())
            self._refuse(event, Reason.DUPLICATE_RESULT)
        else:
            self._refuse(event, Reason.DUPLICATE_RESULT if slot.message.denied else Reason.SUPERSEDED)

    def _refuse(self, event: Event, reason: Reason) -> None:
        self.refused.append(Refused(event.seq, event.seq, event.type, reason.value))

    def _refuse_message(self, message: Message, reason: Reason) -> None:
        kind = "permission.resolved" if message.denied else "tool.completed"
        self.refused.append(Refused(message.first_seq, message.last_seq, kind, reason.value, message.text))
