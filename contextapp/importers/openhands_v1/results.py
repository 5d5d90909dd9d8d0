"""Results of OpenHands V1 tools: the text the model saw, and from the copy beside it the exit code, changed files and plans."""

from __future__ import annotations

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.arrays import answers
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact
from contextapp.importers.openai_chat.content import read_content

_CHANGES = frozenset({"create", "str_replace", "insert", "undo_edit", "write", "edit"})


def read_result(event: Json, native: str) -> tuple[Fact, ...]:
    observation = fields.required_mapping(event, "observation")
    call_id = fields.string(event, "tool_call_id") or native
    text, attached = _content(observation)
    metadata = fields.mapping(observation, "metadata", path="observation.metadata") or {}
    text = f"{fields.string(metadata, 'prefix')}{text}{fields.string(metadata, 'suffix')}"  # shown to the model, too
    failed = fields.flag(observation, "is_error") or isinstance(observation.get("error"), str)
    result = answers.result(
        call_id,
        text,
        is_error=failed,
        name=fields.string(event, "tool_name"),
        exit_code=_exit_code(observation),
        media=attached,
    )
    return (result, *(() if failed else _changed(observation, call_id)), *_plan(observation))


def _content(observation: Json) -> tuple[str, list[Json]]:
    """Parts of text and pictures; earlier versions named one text `output`, and an error apart."""
    inner = observation.get("content")
    if isinstance(inner, list):
        pictures = [
            media.from_url(url, "image/unknown")
            for part in inner
            if isinstance(part, dict) and part.get("type") == "image"
            for url in fields.items(part, "image_urls", path="observation.content.image_urls")
            if isinstance(url, str)
        ]
        rest = [part for part in inner if not (isinstance(part, dict) and part.get("type") == "image")]
        text, attached = read_content({"content": rest}, "observation.")
        return text, [*attached, *pictures]
    if isinstance(inner, str) and inner:
        return inner, []
    names = ("output", "error", "message")
    return answers.joined([fields.string(observation, name, path=f"observation.{name}") for name in names]), []


def _exit_code(observation: Json) -> int | None:
    """-1 says that the command still runs, or that its end is not known."""
    metadata = fields.mapping(observation, "metadata", path="observation.metadata") or {}
    for code in (observation.get("exit_code"), metadata.get("exit_code")):
        if isinstance(code, int) and not isinstance(code, bool) and code != -1:
            return code
    return None


def _changed(observation: Json, call_id: str) -> tuple[Fact, ...]:
    path, command = observation.get("path"), observation.get("command")
    if not isinstance(path, str) or not path or not isinstance(command, str) or command not in _CHANGES:
        return ()
    is_new = command == "create" and observation.get("prev_exist") is not True
    payload = {"path": path, "operation": "created" if is_new else "edited", "call_id": call_id}
    return (Fact(events.FILE_CHANGED, payload),)


def _plan(observation: Json) -> tuple[Fact, ...]:
    tasks = observation.get("task_list")
    if not isinstance(tasks, list) or not tasks:
        return ()
    items = [
        {"text": task["title"], "status": task["status"] if isinstance(task.get("status"), str) else ""}
        for task in tasks
        if isinstance(task, dict) and isinstance(task.get("title"), str)
    ]
    return (Fact(events.PLAN_UPDATED, {"items": items}),)


def read_error(event: Json, native: str) -> tuple[Fact, ...]:
    call_id = fields.string(event, "tool_call_id") or native
    text = fields.string(event, "error")
    return (answers.result(call_id, text, is_error=True, name=fields.string(event, "tool_name")),)


def read_rejection(event: Json, native: str) -> tuple[Fact, ...]:
    """A person's or a hook's no; its reason is what the model is told."""
    call_id = fields.string(event, "tool_call_id") or native
    reason = fields.string(event, "rejection_reason")
    by = "rule" if event.get("rejection_source") == "hook" else "person"
    denial = {"call_id": call_id, "decision": "denied", "reason": reason, "by": by, "explicit": True}
    result = answers.result(call_id, reason, is_error=True, name=fields.string(event, "tool_name"))
    return (result, Fact(events.PERMISSION_RESOLVED, denial))
