"""Contents of the Gemini API in a recorded request, and the answer to it. Calls carry no ids there: a result answers
the oldest open call of its name."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.arrays import answers
from contextapp.importers.arrays.threads import Counted, answered
from contextapp.importers.arrays.tools import tools_fact
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.conversation import Said, instruction, unknown
from contextapp.importers.identity import Fact
from contextapp.importers.walking import Item

_ROLES = frozenset({"user", "model", "function"})
_INSTRUCTIONS = ("systemInstruction", "system_instruction")
_CODE = "code_execution"


class GeminiThread(Counted):
    def __init__(self, conversation: Any) -> None:
        super().__init__(conversation)
        self._open: list[tuple[str, str]] = []  # name and id of calls without a result

    def item(self, value: Any, path: str) -> Item:
        index = self.next_index()
        content: Any = {"parts": [{"text": value}]} if isinstance(value, str) else value
        if isinstance(content, dict) and content.get("content") is not None and "parts" not in content:
            content = {"role": content.get("role"), "parts": [{"text": content["content"]}]}
        return self.made(
            value, f"message:{index}", partial(_read, content, index, path, tuple(self._ids(content, index)))
        )

    def _ids(self, content: Any, index: int) -> list[str]:
        """The id of each part that is a call or a result."""
        found = []
        parts = content.get("parts") if isinstance(content, dict) else None
        for number, part in enumerate(parts if isinstance(parts, list) else ()):
            call, result = _member(part, "functionCall", "executableCode"), _member(part, "functionResponse")
            own = f"m{index}:{number}"
            if call is not None:
                name = call.get("name") if isinstance(call.get("name"), str) else _CODE
                own = call["id"] if isinstance(call.get("id"), str) else own
                self._open.append((str(name), own))
            elif result is not None or _member(part, "codeExecutionResult") is not None:
                name = result.get("name") if result is not None else _CODE
                given = result.get("id") if result is not None else None
                own = given if isinstance(given, str) else self._answered(name) or own
            found.append(own)
        return found

    def _answered(self, name: Any) -> str:
        match = next((pair for pair in self._open if pair[0] == name), None)
        if match is None:
            return ""
        self._open.remove(match)
        return match[1]

    def beside(self, request: Json, path: str) -> Item | None:
        names = [name for name in (*_INSTRUCTIONS, "tools") if request.get(name)]
        if not names:
            return None
        stood = {name: request[name] for name in names}
        return self.made(stood, "request", partial(_beside, stood, path))

    def answer(self, value: Json, usage: Any, model: str, path: str) -> Item:
        index = self.next_index()
        candidates = value.get("candidates")
        first = candidates[0] if isinstance(candidates, list) and candidates else {}
        content = first.get("content") if isinstance(first, dict) else None
        ids = tuple(self._ids(content, index))
        return self.made(value, f"message:{index}", partial(_answer, value, usage, model, index, path, ids))


def _member(part: Any, *names: str) -> Json | None:
    if not isinstance(part, dict):
        return None
    return next((part[name] for name in names if isinstance(part.get(name), dict)), None)


def _read(value: Any, index: int, path: str, ids: tuple[str, ...]) -> Said:
    content = fields.as_mapping(value, path.rstrip("."))
    role = fields.string(content, "role", path=f"{path}role") or "user"
    if role not in _ROLES:
        detail = f"{role[:60]!r} is none of {', '.join(sorted(_ROLES))}"
        raise UnfitLine("unknown_role", field=f"{path}role", detail=detail)
    parts = [fields.as_mapping(one, f"{path}parts[{n}]") for n, one in enumerate(fields.items(content, "parts"))]
    if role == "model":
        return Said(_spoken(parts, ids, f"m{index}", "", path), folded="empty_message")
    return Said(_asked(parts, ids, index, path), folded="empty_message")


def _asked(parts: list[Json], ids: tuple[str, ...], index: int, path: str) -> tuple[Fact, ...]:
    """Results, then the person's words and files as one message."""
    facts: list[Fact] = []
    texts: list[str] = []
    attached: list[Json] = []
    for number, part in enumerate(parts):
        if (result := _member(part, "functionResponse")) is not None:
            facts.append(
                answers.result(ids[number], _shown(result.get("response")), name=fields.string(result, "name"))
            )
        elif (medium := _medium(part)) is not None:
            attached.append(medium)
        elif isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            texts.append(json.dumps(part, ensure_ascii=False))
    if texts or attached:
        payload: Json = {"text": "\n\n".join(texts), "message_id": f"m{index}"}
        facts.append(Fact(events.USER_MESSAGE, payload | ({"media": attached} if attached else {})))
    return tuple(facts)


def _spoken(parts: list[Json], ids: tuple[str, ...], message_id: str, model: str, path: str) -> tuple[Fact, ...]:
    facts: list[Fact] = []
    for number, part in enumerate(parts):
        place = f"{path}parts[{number}]"
        if (call := _member(part, "functionCall")) is not None:
            name = fields.required_string(call, "name", path=f"{place}.functionCall.name")
            arguments = fields.mapping(call, "args", path=f"{place}.functionCall.args") or {}
            facts.append(answers.call(ids[number], name, arguments, message_id, model))
        elif (code := _member(part, "executableCode")) is not None:
            facts.append(answers.call(ids[number], _CODE, code, message_id, model))
        elif (ran := _member(part, "codeExecutionResult")) is not None:
            failed = ran.get("outcome") not in (None, "OUTCOME_OK")
            facts.append(answers.result(ids[number], _shown(ran.get("output")), is_error=failed, name=_CODE))
        elif isinstance(part.get("text"), str):
            tell = answers.thinking if part.get("thought") is True else answers.message
            facts.append(tell(part["text"], message_id, model))
        elif (medium := _medium(part)) is not None:
            said = answers.message("", message_id, model)
            facts.append(Fact(said.type, said.payload | {"media": [medium]}))
        elif set(part) - {"thoughtSignature", "thought_signature"}:
            facts.append(unknown("part", part))
    return tuple(facts)


def _medium(part: Json) -> Json | None:
    if (inline := _member(part, "inlineData", "inline_data")) is not None:
        kind = inline.get("mimeType") or inline.get("mime_type")
        return media.from_base64(
            fields.string(inline, "data"), kind if isinstance(kind, str) else "application/octet-stream"
        )
    if (file := _member(part, "fileData", "file_data")) is not None:
        kind, place = file.get("mimeType") or file.get("mime_type"), file.get("fileUri") or file.get("file_uri")
        named = kind if isinstance(kind, str) else "application/octet-stream"
        return {"media_type": named, "url": place if isinstance(place, str) else ""}
    return None


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _beside(stood: Json, path: str) -> Said:
    facts: list[Fact] = []
    for name in _INSTRUCTIONS:
        given = stood.get(name)
        parts = (
            fields.items(given, "parts", path=f"{path}{name}.parts") if isinstance(given, dict) else [{"text": given}]
        )
        for number, part in enumerate(parts if given else []):
            text = fields.string(fields.as_mapping(part, f"{path}{name}"), "text", path=f"{path}{name}.text")
            facts.append(instruction(text, "system" if number == 0 else f"system-{number + 1}"))
    if tools := fields.items(stood, "tools", path=f"{path}tools"):
        facts.append(tools_fact(tools, f"{path}tools"))
    return Said(tuple(facts))


def _answer(response: Json, usage: Any, model: str, index: int, path: str, ids: tuple[str, ...]) -> Said:
    version = response.get("modelVersion")
    model = version if isinstance(version, str) and version else model
    given = response.get("responseId")
    message_id = given if isinstance(given, str) and given else f"m{index}"
    facts: tuple[Fact, ...] = ()
    stop = ""
    for number, value in enumerate(fields.items(response, "candidates", path=f"{path}candidates")):
        candidate = fields.as_mapping(value, f"{path}candidates[{number}]")
        if number:  # only the first one was gone on with
            facts += (unknown("choice", candidate),)
            continue
        place = f"{path}candidates[{number}].content"
        content = fields.mapping(candidate, "content", path=place) or {}
        parts = [fields.as_mapping(one, f"{place}.parts[{n}]") for n, one in enumerate(fields.items(content, "parts"))]
        facts = _spoken(parts, ids, message_id, model, f"{place}.") or (answers.message("", message_id, model),)
        stop = fields.string(candidate, "finishReason", path=f"{path}candidates[{number}].finishReason")
    called = any(fact.type == events.TOOL_REQUESTED and fact.payload["name"] != _CODE for fact in facts)
    told = facts or (answers.message("", message_id, model),)
    return answered(told, response, response.get("usageMetadata") or usage, message_id, model, "" if called else stop)
