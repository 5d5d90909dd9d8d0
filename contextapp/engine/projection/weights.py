"""What each event adds to the running weight of the transcript: a function of the event alone, without any vocabulary."""

from __future__ import annotations

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from contextapp.engine.policy import Limits
from contextapp.engine.projection.payloads import arguments_of, canonical, payload_of, text_of, visible
from contextapp.engine.tokens import weight

# One huge result must not jump over an edge; no reduced result is larger than this.
MOST = Limits().result_tokens


def event_weight(event: Event) -> int:
    """0 for whatever never stands in a transcript: other types, other visibility, erased content."""
    found: int | None = event.derived.get("weight")
    if found is None:
        found = event.derived["weight"] = _weight(event)
    return found


def _weight(event: Event) -> int:
    if not visible(event):
        return 0
    payload = payload_of(event)
    match event.type:
        case kinds.USER_MESSAGE | kinds.MODEL_DELTA | kinds.MODEL_MESSAGE | kinds.MODEL_THINKING:
            text = text_of(payload, "text")
        case kinds.TOOL_REQUESTED:
            text = f"{text_of(payload, 'name')} {canonical(arguments_of(payload))}" if payload else ""
        case kinds.TOOL_COMPLETED:
            text = text_of(payload, "content")
        case kinds.PERMISSION_RESOLVED:
            text = text_of(payload, "reason") if payload.get("decision") == "denied" else ""
        case kinds.SESSION_COMPACTED:
            text = text_of(payload, "summary")
        case _:
            return 0
    return min(weight(text[: 4 * MOST]), MOST)
