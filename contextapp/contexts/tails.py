"""The end of one session's log, read for a build and moved on to the next one: events never change, so only new ones are read.

Reads what the log holds and nothing else; whether the session may still be read is the caller's to ask, each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from contextapp.engine.events import MODEL_MESSAGE, TOOL_COMPLETED, USER_MESSAGE, Event
from contextapp.engine.projection.weights import MOST, event_weight
from contextapp.eventlog import selectors as log

PLAIN_TEXT = {TOOL_COMPLETED: "content", MODEL_MESSAGE: "text", USER_MESSAGE: "text"}
NEW_EVENTS = 200  # of more new ones most would not be wanted: then the end is read anew


def weighs_at_least(event: Event) -> int:
    """No more than the event's weight, without looking at its characters: a tail may be longer than needed, never shorter."""
    field = PLAIN_TEXT.get(event.type)
    text = event.payload.get(field) if field and event.visibility == "model" else None
    return min(len(text) // 4, MOST) if isinstance(text, str) else event_weight(event)


class Tail:
    """For one reader at a time."""

    def __init__(self, session_id: UUID) -> None:
        self._session_id = session_id
        self._events: list[Event] = []
        self._named: dict[int, Event] = {}

    def upto(self, seq: int, weight_limit: int) -> list[Event]:
        """The newest events up to `seq` that together reach the weight, as `tail_events` gives them."""
        self._events = self._moved_on(seq, weight_limit) or log.tail_events(
            self._session_id, seq, weight_limit, weighs_at_least
        )
        return self._events

    def _moved_on(self, seq: int, weight_limit: int) -> list[Event]:
        """Nothing where what is held does not reach: no events yet, too old, too new or too short."""
        last = self._events[-1].seq if self._events else 0
        if not 0 <= seq - last <= NEW_EVENTS or not last:
            return []
        new = log.get_events(self._session_id, after_seq=last, upto_seq=seq) if seq > last else []
        events = [*self._events, *new]
        start, weight = len(events), 0
        while start > 0 and weight < weight_limit:
            start -= 1
            weight += weighs_at_least(events[start])
        return events[start:] if weight >= weight_limit or events[0].seq == 1 else []

    def named(self, seqs: Sequence[int]) -> list[Event]:
        """Exactly these events, in order; those that the last build named too are at hand."""
        missing = [seq for seq in seqs if seq not in self._named]
        known = self._named
        if missing:
            known = known | {event.seq: event for event in log.get_events(self._session_id, seqs=missing)}
        self._named = {seq: known[seq] for seq in sorted(seqs) if seq in known}
        return list(self._named.values())

    @property
    def chars(self) -> int:
        """About how much text it holds on to."""
        events = (*self._events, *self._named.values())
        return sum(len(value) for event in events for value in event.payload.values() if isinstance(value, str))
