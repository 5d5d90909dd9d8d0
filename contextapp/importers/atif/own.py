"""What ATIF has no place for - decisions, instructions by level, changed files, plans - as entries in a step's `extra`, so that
a trajectory we wrote is read back as it was. Entries of any other writer are claims like the rest of its file."""

from __future__ import annotations

from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.contract import Json
from contextapp.importers.conversation import unknown
from contextapp.importers.identity import Fact

MEMBER = "contextapp"
# Constraints are not among them: a file must not confirm rules that nobody here has seen.
CARRIED = frozenset(
    {
        events.INSTRUCTIONS_LOADED, events.RESOURCE_INCLUDED, events.RETRIEVAL_COMPLETED, events.PERMISSION_REQUESTED,
        events.PERMISSION_RESOLVED, events.FILE_CHANGED, events.VERIFICATION_COMPLETED, events.PHASE_CHANGED,
        events.PLAN_UPDATED, events.SESSION_COMPACTED, events.TURN_COMPLETED, events.SESSION_ENDED,
    }
)  # fmt: skip


def entry(event_type: str, payload: Json, visibility: str) -> Json:
    return {"type": event_type, "payload": payload, "visibility": visibility}


def extra(entries: list[Json], *, instead: bool = False) -> Json:
    """`instead`: the step's own text says the same in words, for readers that don't know these entries."""
    return {MEMBER: {"events": entries, **({"instead": True} if instead else {})}}


def carried(step: Json, path: str) -> tuple[tuple[Fact, ...], bool]:
    """The facts of the entries, and whether they stand instead of the step's text."""
    held: Any = (fields.mapping(step, "extra", path=f"{path}extra") or {}).get(MEMBER)
    if not isinstance(held, dict):
        return (), False
    found = []
    place = f"{path}extra.{MEMBER}.events"
    for number, value in enumerate(fields.items(held, "events", path=place)):
        one = fields.as_mapping(value, f"{place}[{number}]")
        kind = fields.required_string(one, "type", path=f"{place}[{number}].type")
        payload = fields.required_mapping(one, "payload", path=f"{place}[{number}].payload")
        visibility = one.get("visibility")
        shown = visibility if isinstance(visibility, str) and visibility in ("model", "ui", "audit") else "audit"
        found.append(Fact(kind, payload, shown) if kind in CARRIED else unknown(kind, one))
    return tuple(found), bool(found) and fields.flag(held, "instead")
