"""One message of mini-swe-agent to the facts it states: the command in an answer's code block, the result that a user message
gives. Changes nothing."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.arrays import answers
from contextapp.importers.contract import Json
from contextapp.importers.conversation import Said, instruction
from contextapp.importers.identity import Fact
from contextapp.importers.openai_chat.content import read_content
from contextapp.importers.swe_agent.history import note

_BLOCK = re.compile(
    r"```(?:mswea_bash_command|bash)[ \t]*\r?\n(.*?)\r?\n?```|<mswea_bash_command>(.*?)</mswea_bash_command>", re.S
)
_CODE = re.compile(r"<returncode>(-?\d{1,9})</returncode>")
_REJECTED = re.compile(
    r"Command not executed\. The user rejected your command(?: with the following message:)?\s*(.*)", re.S
)


def command_in(content: Any) -> str:
    """The command of an answer; an answer with none or several is sent back by the harness."""
    found = list(_BLOCK.finditer(content)) if isinstance(content, str) else []
    return (found[0][1] or found[0][2] or "") if len(found) == 1 else ""


def read_system(message: Json, index: int, path: str) -> Said:
    text, _ = read_content(message, path)
    return Said((instruction(text, "system" if index == 0 else f"system-m{index}"),), at=time_of(message))


def read_task(message: Json, index: int, path: str) -> Said:
    text, attached = read_content(message, path)
    payload: Json = {"text": text, "message_id": f"m{index}"}
    return Said((Fact(events.USER_MESSAGE, payload | ({"media": attached} if attached else {})),), at=time_of(message))


def read_note(message: Json, index: int, path: str) -> Said:
    text, _ = read_content(message, path)
    return Said((note("harness_message", "message of the harness", text, index),), at=time_of(message))


def read_answer(message: Json, index: int, path: str) -> Said:
    """What was thought, the calls, and the bill of the raw response where a newer version keeps it."""
    content, _ = read_content(message, path)
    message_id = f"m{index}"
    response = _extra(message, "response")
    model = fields.string(response, "model", path=f"{path}extra.response.model")
    calls = [*_tool_calls(message, path, message_id, model)]
    if not calls and (command := command_in(content)):
        block = next(_BLOCK.finditer(content))
        content = (content[: block.start()].rstrip() + "\n\n" + content[block.end() :].lstrip()).strip()
        calls.append(answers.call(f"{message_id}:0", "bash", {"command": command}, message_id, model))
    facts: list[Fact] = []
    reasoning = message.get("reasoning_content")
    if isinstance(reasoning, str) and reasoning:
        facts.append(answers.thinking(reasoning, message_id, model))
    if content or not calls:
        facts.append(answers.message(content, message_id, model))
    return Said((*facts, *calls, *answers.bill(response.get("usage"), message_id, model)), at=time_of(message))


def _tool_calls(message: Json, path: str, message_id: str, model: str) -> list[Fact]:
    made = []
    for number, value in enumerate(fields.items(message, "tool_calls", path=f"{path}tool_calls")):
        place = f"{path}tool_calls[{number}]"
        call = fields.as_mapping(value, place)
        function = fields.required_mapping(call, "function", path=f"{place}.function")
        name = fields.required_string(function, "name", path=f"{place}.function.name")
        call_id = fields.string(call, "id", path=f"{place}.id") or f"{message_id}:{number}"
        made.append(answers.call(call_id, name, answers.arguments_of(function.get("arguments")), message_id, model))
    return made


def read_result(message: Json, index: int, path: str, call_id: str) -> Said:
    text, attached = read_content(message, path)
    given = fields.string(message, "tool_call_id", path=f"{path}tool_call_id") or call_id
    code = _extra_value(message, "returncode")
    if not isinstance(code, int) or isinstance(code, bool):
        found = _CODE.match(text)
        code = int(found[1]) if found else None
    rejected = _REJECTED.match(text)
    result = answers.result(given, text, is_error=bool(rejected), name="bash", exit_code=code, media=attached)
    if not rejected:
        return Said((result,), at=time_of(message))
    denial: Json = {
        "call_id": given,
        "decision": "denied",
        "reason": rejected[1].strip(),
        "by": "person",
        "explicit": True,
    }
    return Said((result, Fact(events.PERMISSION_RESOLVED, denial)), at=time_of(message))


def read_exit(message: Json, index: int, path: str, call_id: str) -> Said:
    """The end of a run. Its content is what was submitted: the result of the last command, if that still waits for one."""
    text, _ = read_content(message, path)
    status = _extra_value(message, "exit_status")
    reason = status if isinstance(status, str) and status else "exit"
    ended = (Fact(events.TURN_COMPLETED, {"stop_reason": reason}), Fact(events.SESSION_ENDED, {"reason": reason}))
    result = (answers.result(call_id, text, name="bash"),) if call_id and text else ()
    return Said((*result, *ended), at=time_of(message))


def _extra_value(message: Json, name: str) -> Any:
    extra = message.get("extra")
    return extra.get(name) if isinstance(extra, dict) else None


def _extra(message: Json, name: str) -> Json:
    found = _extra_value(message, name)
    return found if isinstance(found, dict) else {}


def time_of(message: Json) -> datetime | None:
    """A claimed time in seconds; what is out of all years is none."""
    value = _extra_value(message, "timestamp")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 4_102_444_800:
        return None
    return datetime.fromtimestamp(value, UTC)
