"""The fold: events to session state, one at a time. Never reads ahead, never raises on what a payload holds, never changes an
event; what one event changes depends on that event and the state alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from contextapp.engine import events as kinds
from contextapp.engine.events import Event, Payload
from contextapp.engine.projection import conversation, instructions, standing, work
from contextapp.engine.projection.conversation import Changes
from contextapp.engine.projection.payloads import is_erased, payload_of, text_of, visible
from contextapp.engine.projection.state import SessionState
from contextapp.engine.projection.weights import event_weight
from contextapp.engine.values import Trust

Handler = Callable[[SessionState, Event, Payload], Changes]

# Heard whatever their visibility: they say how the session runs, not what is in it.
_STRUCTURE: dict[str, Handler] = {
    kinds.SESSION_CREATED: conversation.session_created,
    kinds.TURN_STARTED: conversation.turn_started,
    kinds.TURN_COMPLETED: conversation.turn_completed,
    kinds.SESSION_COMPACTED: standing.session_compacted,
    kinds.COMPACTION_WITHDRAWN: standing.compaction_withdrawn,
    kinds.EVENT_REDACTED: standing.event_redacted,
    kinds.SESSION_ENDED: standing.session_ended,
    kinds.TOOL_COMPLETED: work.tool_completed,
    kinds.PERMISSION_REQUESTED: work.permission_requested,
}
# Heard only where the model may see them, since what they say can enter the state block.
_CONTENT: dict[str, Handler] = {
    kinds.INSTRUCTIONS_LOADED: instructions.instructions_loaded,
    kinds.TOOLS_AVAILABLE: standing.tools_available,
    kinds.RESOURCE_INCLUDED: standing.resource_included,
    kinds.RETRIEVAL_COMPLETED: standing.retrieval_completed,
    kinds.USER_MESSAGE: conversation.user_message,
    kinds.CONSTRAINT_ADDED: conversation.constraint_added,
    kinds.CONSTRAINT_LIFTED: conversation.constraint_lifted,
    kinds.PLAN_UPDATED: conversation.plan_updated,
    kinds.TOOL_REQUESTED: work.tool_requested,
    kinds.PERMISSION_RESOLVED: work.permission_resolved,
    kinds.FILE_CHANGED: work.file_changed,
    kinds.VERIFICATION_COMPLETED: work.verification_completed,
    kinds.PHASE_CHANGED: work.phase_changed,
}
_UNTRUSTED = frozenset({kinds.TOOL_COMPLETED, kinds.RESOURCE_INCLUDED, kinds.RETRIEVAL_COMPLETED})


class Fold:
    """A fold in progress. `feed` costs the same however long the session is; `state` costs nothing."""

    def __init__(self, state: SessionState | None = None) -> None:
        self._state = state or SessionState()

    def feed(self, event: Event) -> None:
        """Takes one event in; one that the state already holds (by its seq) changes nothing."""
        state = self._state
        if event.seq <= state.seq:
            return
        payload = payload_of(event)
        changes = conversation.model_call(state, event, payload)
        handler = _STRUCTURE.get(event.type) or (_CONTENT.get(event.type) if visible(event) else None)
        if handler and not (is_erased(event) and event.type != kinds.USER_MESSAGE):
            if changes:
                state = replace(state, **changes)
            changes = handler(state, event, payload)
        if not state.first_untrusted_seq and _is_untrusted(event, payload):
            changes = changes | {"first_untrusted_seq": event.seq}
        self._state = replace(state, **(changes | {"seq": event.seq, "weight": state.weight + event_weight(event)}))

    def state(self) -> SessionState:
        return self._state


def _is_untrusted(event: Event, payload: Payload) -> bool:
    """Text from outside that the model may see. A summary is as good as its writer says, since it was judged by its range."""
    if event.type == kinds.SESSION_COMPACTED:
        says = text_of(payload, "trust")
        return bool(text_of(payload, "summary")) and says not in (Trust.FACT.value, Trust.TRUSTED.value)
    return event.type in _UNTRUSTED and visible(event)


def advance(state: SessionState, events: Iterable[Event]) -> SessionState:
    """The state after further events: project(a + b) == advance(project(a), b)."""
    fold = Fold(state)
    for event in events:
        fold.feed(event)
    return fold.state()


def project(events: Iterable[Event]) -> SessionState:
    """The state after these events, from nothing."""
    return advance(SessionState(), events)


__all__ = ["Fold", "advance", "event_weight", "project"]
