"""Whether a JSON value is a SWE-agent trajectory, and the few facts that stand around its messages. Refuses nothing."""

from __future__ import annotations

from typing import Any

from contextapp.importers.contract import Json
from contextapp.importers.heads import begun_values
from contextapp.importers.otlp.attributes import read_json

FORMAT_NAME = "swe_agent"
_MARKS = frozenset({"agent", "message_type", "is_demo", "action", "thought"})


def recognise(head: bytes, name: str) -> bool:
    return any(is_trajectory(value) for value in begun_values(head))


def is_trajectory(value: Any) -> bool:
    """A history of marked messages, or steps of an action and what came of it."""
    if not isinstance(value, dict) or "schema_version" in value:
        return False
    history, steps = list_of(value, "history"), list_of(value, "trajectory")
    if any(isinstance(one, dict) and "role" in one and one.keys() & _MARKS for one in history[:5]):
        return True
    return (
        bool(steps)
        and isinstance(steps[0], dict)
        and {"action", "observation"} <= steps[0].keys()
        and "source" not in steps[0]
    )


def list_of(value: Json, name: str) -> list[Any]:
    found = value.get(name)
    return found if isinstance(found, list) else []


def folder_of(document: Json) -> str:
    """The working directory that the first step tells of; its state is an object, or JSON in a string."""
    for step in list_of(document, "trajectory")[:1]:
        state = read_json(step.get("state")) if isinstance(step, dict) else None
        folder = state.get("working_dir") if isinstance(state, dict) else None
        return folder if isinstance(folder, str) else ""
    return ""


def model_of(document: Json) -> str:
    """The model of the configuration it can be run with again."""
    found = read_json(document.get("replay_config"))
    for name in ("agent", "model", "name"):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""
