"""Records of type `attachment`: what the harness put into the context or only showed to the person, as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from contextapp.engine.events import INSTRUCTIONS_LOADED, USER_MESSAGE
from contextapp.importers import fields, media
from contextapp.importers.claude_code.harness_text import harness_kind, resource
from contextapp.importers.claude_code.reading import Calls, Reading
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact

# Kinds the model never sees. Kinds not named here or below are taken to enter its context, which is what attachments are for.
_UI = frozenset({"hook_system_message", "hook_non_blocking_error", "hook_error_during_execution", "hook_cancelled"})
_AUDIT = frozenset({"command_permissions", "hook_permission_decision", "hook_success", "hook_async_launched"})
# Hooks whose standard output the harness hands to the model.
_SPEAKING_HOOKS = frozenset({"SessionStart", "UserPromptSubmit"})


def read_attachment(record: Json, calls: Calls) -> Reading:
    attachment = fields.required_mapping(record, "attachment")
    kind = fields.required_string(attachment, "type", path="attachment.type")
    record_id = fields.string(record, "uuid")
    if kind == "queued_command":
        return Reading((_queued(attachment, record_id),))
    if kind == "nested_memory":
        return Reading((_instructions(attachment),))
    path = next((value for name in _PATHS if isinstance(value := attachment.get(name), str)), "")
    text = _text(kind, attachment)
    by = "user" if kind in _CHOSEN_BY_USER else "harness"
    visibility = _visibility(kind, attachment)
    title = path or kind.replace("_", " ")
    return Reading((resource(kind, text, record_id=record_id, title=title, path=path, by=by, visibility=visibility),))


_PATHS = ("filename", "path", "planFilePath")
_CHOSEN_BY_USER = frozenset({"file", "directory", "mcp_resource", "selected_lines_in_ide", "pdf_reference"})


def _visibility(kind: str, attachment: Json) -> str:
    if kind in _UI:
        return "ui"
    if kind == "hook_success" and attachment.get("content"):
        return "model" if fields.string(attachment, "hookEvent") in _SPEAKING_HOOKS else "audit"
    return "audit" if kind in _AUDIT else "model"


def _queued(attachment: Json, record_id: str) -> Fact:
    """A message that came while the model was working: a person's, or a notice about a background task."""
    prompt: Any = attachment.get("prompt")
    if isinstance(prompt, list):
        blocks = [fields.as_mapping(block, f"attachment.prompt[{number}]") for number, block in enumerate(prompt)]
    else:
        blocks = [{"type": "text", "text": fields.required_string(attachment, "prompt", path="attachment.prompt")}]
    text = "\n\n".join(fields.string(block, "text") for block in blocks if block.get("type") == "text")
    if attachment.get("commandMode") == "task-notification" or harness_kind(text, {}) == "task_notification":
        return resource("task_notification", text, record_id=record_id)
    payload: Json = {"text": text, "message_id": record_id, "queued": True}
    pictures = [media.from_anthropic(block) for block in blocks if block.get("type") in ("image", "document")]
    if pictures:
        payload["media"] = pictures
    return Fact(USER_MESSAGE, payload)


def _instructions(attachment: Json) -> Fact:
    """An instruction file found below the working folder while the agent read there."""
    path = fields.required_string(attachment, "path", path="attachment.path")
    content = attachment.get("content")
    inner = content.get("content") if isinstance(content, dict) else content
    text = inner if isinstance(inner, str) else json.dumps(content, ensure_ascii=False)
    name = path.rsplit("/", 1)[-1]
    return Fact(INSTRUCTIONS_LOADED, {"id": path, "level": "directory", "name": name, "path": path, "text": text})


def _text(kind: str, attachment: Json) -> str:
    render = _RENDERERS.get(kind)
    return render(attachment) if render else _plain(attachment)


def _plain(attachment: Json) -> str:
    """Text fields as they are; anything else as its JSON, so that nothing the model saw is lost."""
    rest = {name: value for name, value in attachment.items() if name != "type"}
    for name in ("content", "snippet", "text", "message"):
        value = rest.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            return "\n".join(value)
    return json.dumps(rest, ensure_ascii=False, indent=1) if rest else ""


def _delta(attachment: Json) -> str:
    added = _strings(attachment, ("addedBlocks", "addedLines", "addedNames", "addedTypes"))
    removed = _strings(attachment, ("removedNames", "removedTypes"))
    parts = ["Added:", *added] if added else []
    return "\n".join([*parts, *(["Removed:", *removed] if removed else [])])


def _strings(attachment: Json, names: Iterable[str]) -> list[str]:
    """The first of these lists that holds anything."""
    for name in names:
        found = [part for part in fields.items(attachment, name, path=f"attachment.{name}") if isinstance(part, str)]
        if found:
            return found
    return []


def _tasks(attachment: Json) -> str:
    lines = []
    for task in fields.items(attachment, "content", path="attachment.content"):
        if isinstance(task, dict):
            words = task.get("subject") or task.get("content") or json.dumps(task, ensure_ascii=False)
            lines.append(f"[{task.get('status', '')}] {words}")
        else:
            lines.append(str(task))
    return "\n".join(lines) or "(no tasks)"


def _selection(attachment: Json) -> str:
    place = f"{attachment.get('filename')}:{attachment.get('lineStart')}-{attachment.get('lineEnd')}"
    return f"{place}\n{fields.string(attachment, 'content', path='attachment.content')}"


def _file(attachment: Json) -> str:
    content = attachment.get("content")
    inner = content.get("file") if isinstance(content, dict) else None
    text = inner.get("content") if isinstance(inner, dict) else content
    return text if isinstance(text, str) else _plain(attachment)


def _diagnostics(attachment: Json) -> str:
    lines = []
    for file in fields.items(attachment, "files", path="attachment.files"):
        if not isinstance(file, dict):
            continue
        lines.append(str(file.get("uri", "")))
        found = file.get("diagnostics")
        for entry in found if isinstance(found, list) else ():
            if isinstance(entry, dict):
                lines.append(f"  {entry.get('severity', '')}: {entry.get('message', '')}")
    return "\n".join(lines)


_RENDERERS: dict[str, Callable[[Json], str]] = {
    "deferred_tools_delta": _delta,
    "mcp_instructions_delta": _delta,
    "agent_listing_delta": _delta,
    "task_reminder": _tasks,
    "todo_reminder": _tasks,
    "selected_lines_in_ide": _selection,
    "file": _file,
    "diagnostics": _diagnostics,
}
