"""What a successful tool call changed: files edited or created, and the plan of the to-do tool. Never guesses from inputs."""

from __future__ import annotations

from contextapp.engine.events import FILE_CHANGED, PLAN_UPDATED
from contextapp.importers.claude_code.reading import OpenCall
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact

_EDITING_TOOLS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "str_replace_based_edit_tool"})
_EDIT_TRACES = ("structuredPatch", "oldString", "edits", "new_source")


def change_facts(call: OpenCall, copy: Json, text: str) -> list[Fact]:
    facts = []
    if path := _changed_path(call, copy):
        operation = "created" if _is_new(copy, text) else "edited"
        facts.append(Fact(FILE_CHANGED, {"path": path, "operation": operation, "call_id": call.call_id}))
    if (plan := _plan(copy)) is not None:
        facts.append(Fact(PLAN_UPDATED, {"items": plan}))
    return facts


def _changed_path(call: OpenCall, copy: Json) -> str:
    for name in ("filePath", "notebook_path"):
        value = copy.get(name)
        if isinstance(value, str) and any(trace in copy for trace in _EDIT_TRACES):
            return value
    # Older versions and copies inside sub-agents carry no structured result; then the call names the file.
    return call.path if not copy and call.name in _EDITING_TOOLS else ""


def _is_new(copy: Json, text: str) -> bool:
    if copy:
        return copy.get("type") == "create" or ("originalFile" in copy and copy["originalFile"] is None)
    return text.startswith("File created")


def _plan(copy: Json) -> list[Json] | None:
    todos = copy.get("newTodos")
    if not isinstance(todos, list):
        return None
    items = []
    for todo in todos:
        if isinstance(todo, dict) and isinstance(todo.get("content"), str):
            status = todo.get("status")
            items.append({"text": todo["content"], "status": status if isinstance(status, str) else ""})
    return items
