"""Whether a JSON value is an ATIF trajectory or holds some, and how they are named. Refuses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contextapp.importers.contract import Json
from contextapp.importers.conversation import file_key
from contextapp.importers.heads import begun_values
from contextapp.importers.identity import content_hash, safe_key

FORMAT_NAME = "atif"
_KEY_CHARS = 250  # of a session's key; sub-agents of sub-agents would grow it without end


def recognise(head: bytes, name: str) -> bool:
    return any(next(trajectories(value), None) for value in begun_values(head))


def is_trajectory(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        return False
    return str(value.get("schema_version", "")).startswith("ATIF-v1.")


def trajectories(value: Any) -> Iterator[tuple[str, Json]]:
    """Each with the path to it: the value itself, or what an array or object of trajectories holds."""
    if is_trajectory(value):
        yield "", value
        return
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        if is_trajectory(part):
            yield f"[{name}]" if isinstance(value, list) else str(name), part
        elif name == "trajectories" and isinstance(part, list):
            yield from ((f"trajectories{path}", one) for path, one in trajectories(part))


def key_of(trajectory: Json, source_name: str, place: str, parent: str = "") -> str:
    """A run is named by its session, a trajectory in it by its own id. One without ids is known by its file and place."""
    own, session = _name(trajectory, "trajectory_id"), _name(trajectory, "session_id")
    if parent:
        key = f"{parent}/{safe_key(own or session or place)}"
        return key if len(key) <= _KEY_CHARS else f"{FORMAT_NAME}:{content_hash(key)}"
    if not session:
        return file_key(FORMAT_NAME, source_name, safe_key(own or place) if own or place else "")
    return ":".join([FORMAT_NAME, safe_key(session), *([safe_key(own)] if own else [])])


def named_children(trajectory: Json) -> Iterator[str]:
    """The ids of the trajectories that the steps of this one refer to."""
    for step in trajectory["steps"]:
        observation = step.get("observation") if isinstance(step, dict) else None
        results = observation.get("results") if isinstance(observation, dict) else None
        for result in results if isinstance(results, list) else ():
            references = result.get("subagent_trajectory_ref") if isinstance(result, dict) else None
            for reference in references if isinstance(references, list) else ():
                if isinstance(reference, dict):
                    yield from filter(None, (_name(reference, "trajectory_id"), _name(reference, "session_id")))


def parent_of(trajectory: Json) -> str:
    """The session that a sub-agent's own document names as its parent's."""
    agent = trajectory.get("agent")
    extra = agent.get("extra") if isinstance(agent, dict) else None
    return _name(extra, "parent_session_id") if isinstance(extra, dict) else ""


def _name(value: Json, name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""
