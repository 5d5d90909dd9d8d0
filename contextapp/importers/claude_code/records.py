"""The table of record types: who reads which. A type that is not in it is kept verbatim, never refused."""

from __future__ import annotations

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.claude_code.assistant import read_assistant
from contextapp.importers.claude_code.attachments import read_attachment
from contextapp.importers.claude_code.reading import Calls, OpenCall, Reader, Reading, TitleRank, first_line, folded
from contextapp.importers.claude_code.results import result_facts
from contextapp.importers.claude_code.system import read_system
from contextapp.importers.claude_code.user import read_user
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.identity import Fact

# Side records: bookkeeping of the harness that neither model nor fold needs. The reason is what a person reads.
_FOLDED = {
    "progress": "progress",
    "file-history-snapshot": "undo_backup",
    "file-history-delta": "undo_backup",
    "permission-mode": "permission_mode",
    "mode": "mode",
    "last-prompt": "last_prompt",
    "pr-link": "pull_request_link",
    "bridge-session": "remote_session",
    "queue-operation": "queue_operation",
    "agent-name": "agent_name",
    "agent-setting": "agent_name",
    "tag": "tag",
}
_TITLES = {
    "summary": ("summary", TitleRank.SUMMARY),
    "ai-title": ("aiTitle", TitleRank.GENERATED),
    "custom-title": ("customTitle", TitleRank.GIVEN),
}


def read_record(record: Json, calls: Calls) -> Reading:
    if "type" not in record and "agentType" in record:
        return folded("agent_description")  # the .meta.json file beside a sub-agent's transcript
    kind = fields.required_string(record, "type")
    if kind in _TITLES:
        field, rank = _TITLES[kind]
        return Reading(folded="title", title=first_line(fields.string(record, field)), title_rank=rank)
    if kind in _FOLDED:
        return folded(_FOLDED[kind])
    if reader := _READERS.get(kind):
        return reader(record, calls)
    return Reading((Fact(events.IMPORT_UNKNOWN, {"record_type": kind, "record": record}, "audit"),))


def _read_bare_call(record: Json, calls: Calls) -> Reading:
    """Versions before 2.0 wrote a call as a record of its own."""
    call_id = fields.string(record, "id") or fields.string(record, "uuid")
    if not call_id:
        raise UnfitLine("missing_field", field="uuid", detail="a tool_use record needs an id to be answered by")
    name = fields.required_string(record, "name")
    arguments = fields.mapping(record, "input") or {}
    payload = {"call_id": call_id, "name": name, "input": arguments, "message_id": call_id, "model": ""}
    opened = (OpenCall(call_id, name, has_native_id=False),)
    return Reading((Fact(events.TOOL_REQUESTED, payload),), is_model_call=True, opened=opened)


def _read_bare_result(record: Json, calls: Calls) -> Reading:
    block: Json = {**record, "content": record.get("output", record.get("content"))}
    made = result_facts(block, None, calls, "tool_result", fields.string(record, "uuid"))
    closed = tuple(fact.payload["call_id"] for fact in made if fact.type == events.TOOL_COMPLETED)
    return Reading(made, closed=closed)


_READERS: dict[str, Reader] = {
    "assistant": read_assistant,
    "user": read_user,
    "attachment": read_attachment,
    "system": read_system,
    "tool_use": _read_bare_call,
    "tool_result": _read_bare_result,
}
