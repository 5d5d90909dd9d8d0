"""Whether a JSON value is an event history of OpenHands V0, and what can be read of an event without refusing it."""

from __future__ import annotations

from typing import Any

from contextapp.importers.contract import Json
from contextapp.importers.heads import begun_values

FORMAT_NAME = "openhands_v0"
AGENT = "openhands"
_ARGUMENTS = frozenset({"args", "extras", "content", "timestamp"})


def recognise(head: bytes, name: str) -> bool:
    return any(is_history(value) for value in begun_values(head))


def is_history(value: Any) -> bool:
    """An event, an array of events, pairs of an action and its observation, or an object with such a history."""
    if isinstance(value, dict):
        history = value.get("history")
        return is_history(history) if isinstance(history, list) else is_event(value)
    if not isinstance(value, list) or not value:
        return False
    first = value[0]
    if isinstance(first, list):
        return bool(first) and all(is_event(one) for one in first)
    return is_event(first)


def is_event(value: Any) -> bool:
    if not isinstance(value, dict) or {"role", "kind", "response", "thought"} & value.keys():
        return False
    named = value.get("action", value.get("observation"))
    return isinstance(named, str) and bool(_ARGUMENTS & value.keys())


def response_of(event: Json) -> Json:
    """The whole answer of the model that this action is a part of."""
    metadata = event.get("tool_call_metadata")
    found = metadata.get("model_response") if isinstance(metadata, dict) else None
    return found if isinstance(found, dict) else {}


def response_id(event: Json) -> str:
    found = response_of(event).get("id")
    return found if isinstance(found, str) else ""


def call_id_of(event: Json) -> str:
    metadata = event.get("tool_call_metadata")
    found = metadata.get("tool_call_id") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else ""


def native_of(event: Any, position: int) -> str:
    """The event's own number; the oldest histories have none, so their place is their name."""
    number = event.get("id") if isinstance(event, dict) else None
    if isinstance(number, int) and not isinstance(number, bool):
        return f"event:{number}"
    return f"place:{position}"


def source_of(event: Json, position: int) -> str:
    """Who did it; the oldest histories do not say, and begin with what the user wants."""
    source = event.get("source")
    if isinstance(source, str):
        return source
    return "user" if position == 0 and event.get("action") == "message" else "agent"
