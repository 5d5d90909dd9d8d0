"""Events to transcript: parts joined, calls paired, a compaction in the place of what it covers. Pure repair for one reading:
the log stays as it is, and whatever can't stand in a transcript is named with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from contextapp.engine.projection.answers import Answer, Joiner, call_of
from contextapp.engine.projection.atoms import Atom, Message, Refused, Transcript
from contextapp.engine.projection.calls import MODEL_PARTS, is_model_part
from contextapp.engine.projection.messages import user_message
from contextapp.engine.projection.pairing import Pairing, Slot
from contextapp.engine.projection.payloads import flag, is_erased, list_of, payload_of, text_of, visible, whole
from contextapp.engine.projection.staleness import stale_reads
from contextapp.engine.projection.state import CompactionMark, SessionState
from contextapp.engine.reasons import Reason

PROJECTED = MODEL_PARTS | {kinds.USER_MESSAGE, kinds.TOOL_COMPLETED, kinds.PERMISSION_RESOLVED, kinds.SESSION_COMPACTED}
# Reasons whose events are counted in one row per kind, since there can be very many of them.
_COUNTED = frozenset({Reason.SUMMARIZED, Reason.NOT_PERMITTED, Reason.UNKNOWN_TYPE, Reason.ERASED, Reason.EMPTY})


def assemble(events: Sequence[Event], state: SessionState) -> Transcript:
    """The transcript of these events as it stands at `state`. No orphan call or result is in its atoms; every event that
    could have been a source is in an atom, in a refused row, or silent by its type."""
    ordered = _in_order(events)
    mark, summary = _summary(ordered, state.summary_mark)
    assembly = _Assembly(state, covers_to=mark.covers_to if mark and summary else 0)
    for event in ordered:
        assembly.feed(event)
    return assembly.transcript(summary)


def _in_order(events: Sequence[Event]) -> list[Event]:
    """By seq, each once; callers join named events and a tail that may overlap."""
    found: dict[int, Event] = {}
    is_sorted, last = True, 0
    for event in events:
        is_sorted = is_sorted and event.seq > last
        last = event.seq
        found.setdefault(event.seq, event)
    return list(found.values()) if is_sorted else [found[seq] for seq in sorted(found)]


def _summary(events: Iterable[Event], mark: CompactionMark | None) -> tuple[CompactionMark | None, Message | None]:
    """The message that stands in for the range; none while its text is not at hand: then nothing is left out for it."""
    event = next((event for event in events if mark and event.seq == mark.summary_seq), None)
    text = text_of(payload_of(event), "summary") if event and visible(event) else ""
    if mark is None or event is None or not text.strip():
        return None, None
    covers = list_of(payload_of(event), "covers")
    first = whole({"first": covers[0]}, "first") if len(covers) == 2 else None
    start = max(1, min(first or 1, mark.covers_to))
    return mark, Message(role="summary", text=text, first_seq=start, last_seq=mark.covers_to)


class _Assembly:
    def __init__(self, state: SessionState, covers_to: int) -> None:
        self._covers_to = covers_to
        self._summary_seq = state.summary_mark.summary_seq if covers_to and state.summary_mark else 0
        self._open = {call.seq for call in state.open_calls}
        self._units: list[Answer | Message] = []
        self._slots: dict[int, Slot] = {}  # by the seq of the call
        self._joiner = Joiner()
        self._pairing = Pairing(frozenset(state.cleared_calls))
        self._refused: list[Refused] = []

    def feed(self, event: Event) -> None:
        if not event.is_known:
            self._refuse(event, Reason.UNKNOWN_TYPE)
        elif event.type == kinds.PERMISSION_REQUESTED:
            self._pairing.ask(event)
        elif event.type not in PROJECTED:
            return
        elif is_erased(event):
            self._refuse(event, Reason.ERASED)
        elif event.type == kinds.TOOL_COMPLETED:
            self._joiner.interrupt(is_user=False)
            self._pairing.answer(event)
        elif event.type == kinds.PERMISSION_RESOLVED:
            self._resolve(event)
        elif event.type == kinds.SESSION_COMPACTED:
            self._compacted(event)
        elif event.type == kinds.USER_MESSAGE:
            self._say(event)
        elif not is_model_part(event):
            self._refuse(event, Reason.NOT_RELEVANT)  # a harness's own error text, never said by a model
        else:
            self._part(event)

    def _resolve(self, event: Event) -> None:
        decision = payload_of(event).get("decision")
        if decision == "denied":
            self._joiner.interrupt(is_user=False)
            self._pairing.deny(event)
        elif decision == "allowed":
            self._pairing.allow(event)

    def _compacted(self, event: Event) -> None:
        payload = payload_of(event)
        if event.seq == self._summary_seq or not text_of(payload, "summary").strip():
            return
        self._refuse(event, Reason.SUPERSEDED if visible(event) else Reason.NOT_PERMITTED)

    def _say(self, event: Event) -> None:
        if not visible(event):
            self._refuse(event, Reason.NOT_PERMITTED)
            return
        if not flag(payload_of(event), "queued"):
            self._joiner.interrupt(is_user=True)
        message = user_message(event)
        if message.text.strip() or message.media:
            self._units.append(message)
        else:
            self._refuse(event, Reason.EMPTY)

    def _part(self, event: Event) -> None:
        if not visible(event):
            self._refuse(event, Reason.NOT_PERMITTED)
            if event.type == kinds.TOOL_REQUESTED:
                self._pairing.arm(call_of(event), 0, hidden=True)
            return
        answer, is_new = self._joiner.place(event)
        if is_new:
            self._units.append(answer)
        call = answer.add(event)
        if call:
            self._slots[call.seq] = self._pairing.arm(call, answer.first_seq, hidden=False)

    def _refuse(self, event: Event, reason: Reason) -> None:
        self._refused.append(Refused(event.seq, event.seq, event.type, reason.value))

    def transcript(self, summary: Message | None) -> Transcript:
        atoms = [Atom("summary", (summary,))] if summary else []
        for unit in self._units:
            if isinstance(unit, Message):
                atom, event_count = Atom("user", (unit,)), 1
            else:
                made, event_count = self._answer_atom(unit)
                if made is None:
                    continue
                atom = made
            if atom.last_seq <= self._covers_to and not atom.is_open:
                self._refused.append(
                    Refused(atom.first_seq, atom.last_seq, "transcript", Reason.SUMMARIZED.value, count=event_count)
                )
            else:
                atoms.append(atom)
        return Transcript(tuple(atoms), self._rows())

    def _answer_atom(self, answer: Answer) -> tuple[Atom | None, int]:
        calls, results, is_open = [], [], False
        event_count = answer.event_count
        for call in answer.calls:
            slot = self._slots[call.seq]
            waits = call.seq in self._open and (slot.message is None or slot.message.pending)
            if slot.hidden or (slot.message is None and not waits):
                reason = Reason.NOT_PERMITTED if slot.hidden else Reason.DEAD_CALL
                self._refused.append(Refused(call.seq, call.seq, kinds.TOOL_REQUESTED, reason.value, call.name))
                event_count -= 1
                continue
            calls.append(call)
            is_open = is_open or waits
            event_count += slot.event_count
            if slot.message:
                results.append(slot.message)
        message = answer.message(tuple(calls))
        if not (message.text or message.thinking or calls):
            said_nothing = answer.event_count - len(answer.calls)
            if said_nothing:
                self._refused.append(_empty(answer, said_nothing))
            return None, 0
        kind = "denial" if any(result.denied for result in results) else "call_group" if calls else "assistant"
        return Atom(kind, (message, *results), is_open), event_count

    def _rows(self) -> tuple[Refused, ...]:
        """In log order; what a summary covers and what comes in masses is counted in one row per kind."""
        counted: dict[tuple[str, str], Refused] = {}
        single: list[Refused] = []
        for row in (*self._refused, *self._pairing.refused):
            if row.last_seq <= self._covers_to:
                row = Refused(row.first_seq, row.last_seq, "transcript", Reason.SUMMARIZED.value, count=row.count)
            if row.reason not in _COUNTED:
                single.append(row)
                continue
            key = (row.kind, row.reason)
            held = counted.get(key)
            counted[key] = _joined(held, row) if held else row
        return tuple(sorted((*single, *counted.values()), key=lambda row: (row.first_seq, row.last_seq, row.kind)))


def _empty(answer: Answer, count: int) -> Refused:
    return Refused(answer.first_seq, answer.last_seq, kinds.MODEL_MESSAGE, Reason.EMPTY.value, count=count)


def _joined(a: Refused, b: Refused) -> Refused:
    first, last = min(a.first_seq, b.first_seq), max(a.last_seq, b.last_seq)
    return Refused(first, last, a.kind, a.reason, count=a.count + b.count)


__all__ = ["PROJECTED", "assemble", "stale_reads"]
