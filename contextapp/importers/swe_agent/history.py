"""One message of a SWE-agent history to the facts it states. What a message is - task, answer, result, note of the harness - is
decided where the history is walked."""

from __future__ import annotations

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.arrays import answers
from contextapp.importers.contract import Json
from contextapp.importers.conversation import Said, instruction
from contextapp.importers.identity import Fact
from contextapp.importers.openai_chat.content import read_content

# Commands of SWE-agent's own shell; any other first word is a command of the system's.
_OWN = frozenset(
    {
        "open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "append", "search_dir", "search_file",
        "find_file", "submit", "exit_forfeit", "str_replace_editor", "view", "undo_edit", "decompile", "disassemble",
    }
)  # fmt: skip


def read_system(message: Json, index: int, path: str) -> Said:
    text, _ = read_content(message, path)
    return Said((instruction(text, "system" if index == 0 else f"system-m{index}"),), folded="empty_message")


def read_demonstration(message: Json, index: int, path: str) -> Said:
    """An example of how to work, shown to the model: quoted, for nobody asked for it in this run."""
    text, _ = read_content(message, path)
    role = fields.string(message, "role", path=f"{path}role")
    return Said((note("demonstration", f"demonstration: {role}", text, index),))


def read_note(message: Json, index: int, path: str) -> Said:
    """What the harness says in the user's place, such as that an answer had no command in it."""
    text, _ = read_content(message, path)
    return Said((note("harness_message", "message of the harness", text, index),))


def note(kind: str, title: str, text: str, index: int) -> Fact:
    payload = {"id": f"m{index}", "kind": kind, "title": title, "path": "", "text": text, "by": "harness"}
    return Fact(events.RESOURCE_INCLUDED, payload)


def read_task(message: Json, index: int, path: str) -> Said:
    text, attached = read_content(message, path)
    payload: Json = {"text": text, "message_id": f"m{index}"}
    return Said((Fact(events.USER_MESSAGE, payload | ({"media": attached} if attached else {})),))


def read_answer(message: Json, index: int, path: str) -> Said:
    """Calls as they were made, or the one command that the text ends in: then the text without it is what was thought."""
    content, _ = read_content(message, path)
    message_id = f"m{index}"
    calls = fields.items(message, "tool_calls", path=f"{path}tool_calls")
    action = fields.string(message, "action", path=f"{path}action")
    text = content
    made: list[Fact] = []
    for number, value in enumerate(calls):
        place = f"{path}tool_calls[{number}]"
        call = fields.as_mapping(value, place)
        function = fields.required_mapping(call, "function", path=f"{place}.function")
        name = fields.required_string(function, "name", path=f"{place}.function.name")
        call_id = fields.string(call, "id", path=f"{place}.id") or f"{message_id}:{number}"
        made.append(answers.call(call_id, name, answers.arguments_of(function.get("arguments")), message_id))
    if not calls and action.strip():
        thought = fields.string(message, "thought", path=f"{path}thought")
        text = thought if "thought" in message else content
        made.append(command(action, message_id))
    for block in fields.items(message, "thinking_blocks", path=f"{path}thinking_blocks"):
        inner = fields.as_mapping(block, f"{path}thinking_blocks")
        made.insert(0, answers.thinking(fields.string(inner, "thinking"), message_id))
    spoken = (answers.message(text, message_id),) if text.strip() or not made else ()
    return Said((*(one for one in made if one.type == events.MODEL_THINKING), *spoken, *_calls(made)))


def _calls(facts: list[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact.type == events.TOOL_REQUESTED]


def command(action: str, message_id: str) -> Fact:
    first = action.split(maxsplit=1)[0] if action.strip() else ""
    return answers.call(f"{message_id}:0", first if first in _OWN else "bash", {"command": action}, message_id)


def read_result(message: Json, index: int, path: str, call_id: str) -> Said:
    text, attached = read_content(message, path)
    return Said((answers.result(call_id, text, media=attached),))
