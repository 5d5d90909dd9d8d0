"""Which model call an event belongs to. A new key is a new step; nothing here decides what the call saw."""

from __future__ import annotations

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from contextapp.engine.projection.payloads import flag, id_of, payload_of
from contextapp.engine.projection.state import MAX_MESSAGE_IDS, SessionState

MODEL_PARTS = frozenset({kinds.MODEL_DELTA, kinds.MODEL_MESSAGE, kinds.MODEL_THINKING, kinds.TOOL_REQUESTED})
# What stands between two model calls when the writer gives no message ids.
_INTERRUPTIONS = frozenset({kinds.USER_MESSAGE, kinds.TOOL_COMPLETED, kinds.TURN_STARTED, kinds.TURN_COMPLETED})


def is_model_part(event: Event) -> bool:
    """A part of an answer that a model gave; a harness's own error text (synthetic) is none."""
    if event.type not in MODEL_PARTS:
        return False
    found: bool | None = event.derived.get("is_part")
    if found is None:
        payload = payload_of(event)
        is_synthetic = flag(payload, "synthetic") or payload.get("model") == "<synthetic>"
        found = event.derived["is_part"] = not is_synthetic
    return found


def model_call_key(event: Event) -> str | None:
    """The message id of a model part; None for other events, synthetic messages and parts without an id."""
    if not is_model_part(event):
        return None
    found: str | None = event.derived.get("message_id")
    if found is None:
        found = event.derived["message_id"] = id_of(payload_of(event), "message_id")
    return found or None


class CallTracker:
    """Tells calls apart, also when ids are missing: parts without an id form one call until a user message or a tool
    result comes between. An id that follows such parts names their call; a late part of a recent call is no new one."""

    def __init__(self, recent: tuple[str, ...] = (), is_open: bool = False, current: str = "") -> None:
        self.recent = recent
        self.is_open = is_open
        self.current = current

    @classmethod
    def of(cls, state: SessionState) -> CallTracker:
        return cls(state.recent_message_ids, state.step_open, state.step_message_id)

    def feed(self, event: Event) -> bool:
        """True when the event begins a model call."""
        if event.type in _INTERRUPTIONS:
            self.is_open = False
        if not is_model_part(event):
            return False
        key = model_call_key(event)
        if key is None:
            is_new = not self.is_open
            self.current = "" if is_new else self.current
        elif key in self.recent:
            self.is_open = self.is_open or key == self.current
            return False
        else:
            is_new = not (self.is_open and not self.current)
            self.current = key
            self.recent = (*self.recent, key)[-MAX_MESSAGE_IDS:]
        self.is_open = True
        return is_new
