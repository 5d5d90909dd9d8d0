"""What a successful call changed: files patched, and the plan. Reads what Codex reported, never guesses from a command."""

from __future__ import annotations

import re

from contextapp.engine.events import FILE_CHANGED, PLAN_UPDATED
from contextapp.importers import fields
from contextapp.importers.codex.reading import Copy, OpenCall, Reading
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact

_UPDATED = "Success. Updated the following files:"
_LINE = re.compile(r"^([AMD]) (\S.*?)\s*$", re.MULTILINE)
_LETTERS = {"A": "created", "M": "edited", "D": "deleted"}
_KINDS = {"add": "created", "update": "edited", "delete": "deleted"}


def change_facts(call: OpenCall, text: str) -> list[Fact]:
    if call.name == "update_plan":
        return [_plan(call.input)]
    said = call.input.get("input")
    patches = call.name == "apply_patch" or (isinstance(said, str) and "apply_patch" in said)
    return _listed(call.call_id, text) if patches else []


def read_patch_end(payload: Json) -> Reading:
    """The files of a patch as versions from about 0.12 list them, before the result says it again."""
    changes = fields.mapping(payload, "changes", path="payload.changes") or {}
    if not fields.flag(payload, "success") or not changes:
        return Reading(folded="repeated")
    call_id = fields.string(payload, "call_id", path="payload.call_id")
    facts = []
    for path, value in changes.items():
        change = value if isinstance(value, dict) else {}
        kind = change.get("type") or next(iter(change), "")
        moved = change.get("move_path")
        if isinstance(moved, str) and moved and moved != path:
            facts += [_changed(path, "deleted", call_id), _changed(moved, "created", call_id)]
        else:
            facts.append(_changed(path, _KINDS.get(str(kind), "edited"), call_id))
    return Reading(tuple(facts), copy=Copy.FILES, closed="")


def _listed(call_id: str, text: str) -> list[Fact]:
    """The list may stand inside the JSON of older results, with its line ends written out."""
    _, found, rest = text.replace("\\n", "\n").partition(_UPDATED)
    lines = rest.split("\n\n")[0].split('"')[0] if found else ""
    return [_changed(path, _LETTERS[letter], call_id) for letter, path in _LINE.findall(lines)]


def _changed(path: str, operation: str, call_id: str) -> Fact:
    return Fact(FILE_CHANGED, {"path": path, "operation": operation, "call_id": call_id})


def _plan(arguments: Json) -> Fact:
    steps = arguments.get("plan")
    items = [
        {"text": str(step.get("step", "")), "status": str(step.get("status", ""))}
        for step in (steps if isinstance(steps, list) else ())
        if isinstance(step, dict)
    ]
    return Fact(PLAN_UPDATED, {"items": items})
