"""Which format a file is in, by its first bytes; names are not trusted. Reads nothing beyond the bytes it is given."""

from __future__ import annotations

import json
import re
from pathlib import PurePath
from typing import Any

from contextapp.importers.aider import parser as aider
from contextapp.importers.arrays import formats as arrays
from contextapp.importers.atif import parser as atif
from contextapp.importers.claude_agent_sdk import parser as claude_agent_sdk
from contextapp.importers.claude_code import parser as claude_code
from contextapp.importers.cline import parser as cline
from contextapp.importers.codex import envelope as codex_lines
from contextapp.importers.codex import parser as codex
from contextapp.importers.contract import Format, Json, UnfitLine
from contextapp.importers.decoding import decode_text, decode_values
from contextapp.importers.gemini_cli import parser as gemini_cli
from contextapp.importers.lines import BOM
from contextapp.importers.managed_agents import parser as managed_agents
from contextapp.importers.mini_swe_agent import parser as mini_swe_agent
from contextapp.importers.openai_chat import parser as openai_chat
from contextapp.importers.openai_chat.content import PART_TYPES
from contextapp.importers.openai_chat.messages import ROLES
from contextapp.importers.openhands_v0 import parser as openhands_v0
from contextapp.importers.openhands_v1 import parser as openhands_v1
from contextapp.importers.otlp import parser as otlp
from contextapp.importers.pi_agent import parser as pi_agent
from contextapp.importers.swe_agent import parser as swe_agent

HEAD_BYTES = 256 * 1024
_LOOK_AT_LINES = 40
_SIDE_TYPES = frozenset(
    {"mode", "permission-mode", "ai-title", "custom-title", "agent-name", "last-prompt", "queue-operation"}
)
_OTHERS = ("payload", "session_id", "trajectory", "steps", "events", "history", "sessionId", "samples", "traces")
_ROLE = re.compile(r'"role"\s*:\s*"(system|developer|user|assistant|tool)"')
_OTLP_START = re.compile(rb'\s*\{\s*"(resourceSpans|resourceLogs)"\s*:')
_CODEX_START = re.compile(rb'"type"\s*:\s*"session_meta"\s*,\s*"payload"\s*:')
_CLAUDE_START = re.compile(rb'"type"\s*:\s*"(user|assistant|progress|system|summary|file-history-snapshot|attachment)"')


def recognise(head: bytes, name: str) -> Format | None:
    return next((form for form in FORMATS if form.recognise(head, name)), None)


def looked_for(head: bytes) -> str:
    """Completes the message for a file in no format we know."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "It is UTF-16; save it as UTF-8."
    if not head.strip():
        return "It is empty."
    return "We looked for " + "; and for ".join(form.looked_for for form in FORMATS) + "."


def _is_claude_code(head: bytes, name: str) -> bool:
    objects = [value for value in _line_values(head) if isinstance(value, dict)]
    if any(_is_relative(value) for value in objects):
        return False
    if any(_is_claude_record(value) for value in objects):
        return True
    if not objects and b"\n" not in head:  # a first line longer than the head
        has_place = b'"parentUuid"' in head or b'"uuid"' in head
        return bool(_CLAUDE_START.search(head)) and b'"sessionId"' in head and has_place
    described = len(objects) == 1 and "agentType" in objects[0] and "type" not in objects[0]
    return described and name.endswith(".meta.json")


def _is_relative(record: Json) -> bool:
    """Tools that took over the envelope and put other content into it."""
    message = record.get("message")
    return "systemPayload" in record or "payload" in record or (isinstance(message, dict) and "parts" in message)


def _is_claude_record(record: Json) -> bool:
    kind = record.get("type")
    if not isinstance(kind, str):
        return False
    if kind == "summary" or kind.startswith("file-history-"):
        return "leafUuid" in record or "messageId" in record
    return "sessionId" in record and ("uuid" in record or "parentUuid" in record or kind in _SIDE_TYPES)


def _is_codex(head: bytes, name: str) -> bool:
    """Lines in Codex's envelope; before it had one, a head without a type and items behind it."""
    objects = [value for value in _line_values(head) if isinstance(value, dict)]
    if any(value.get("type") in codex_lines.KINDS and isinstance(value.get("payload"), dict) for value in objects):
        return True
    if not objects and b"\n" not in head:  # a first line longer than the head
        return bool(_CODEX_START.search(head[:4096]))
    if any(codex_lines.is_bare_head(value) or value.get("record_type") == "state" for value in objects[:1]):
        rest = objects[1:]
        return not rest or any(value.get("type") in codex_lines.BARE_ITEMS or "record_type" in value for value in rest)
    shaped = objects and all(value.get("type") in codex_lines.BARE_ITEMS for value in objects)
    return bool(shaped) and PurePath(name).name.startswith("rollout-")


def _is_otlp(head: bytes, name: str) -> bool:
    """The member that holds everything comes first, or the file is small enough to be read whole."""
    if _OTLP_START.match(head.removeprefix(BOM)):
        return True
    return any(
        isinstance(value, dict) and ("resourceSpans" in value or "resourceLogs" in value)
        for value in _line_values(head)
    )


def _is_openai_chat(head: bytes, name: str) -> bool:
    values = _line_values(head)
    if any(_is_chat(value) for value in values):
        return True
    if any(isinstance(value, dict | list) and value for value in values):
        return False
    return _document_start_is_chat(head)


def _is_chat(value: Any) -> bool:
    if isinstance(value, list):  # a few bad messages don't make a chat something else; each is quarantined
        fit = [_is_message(part) or _is_container(part) or _is_chat(part) for part in value[:20]]
        return bool(fit) and fit[0] and 2 * sum(fit) > len(fit)
    return isinstance(value, dict) and (_is_message(value) or _is_container(value))


def _is_container(value: Any) -> bool:
    if not isinstance(value, dict) or any(field in value for field in _OTHERS):
        return False
    if isinstance(value.get("messages_display"), str):
        return True
    messages = value.get("messages", value.get("traj"))
    if not isinstance(messages, list) or not messages:
        return False
    fit = [_is_message(message) for message in messages[:20]]
    return fit[0] and 2 * sum(fit) > len(fit)


def _is_message(value: Any) -> bool:
    role = value.get("role") if isinstance(value, dict) else None
    if not isinstance(role, str) or role not in ROLES or "parts" in value:
        return False
    if not any(field in value for field in ("content", "tool_calls", "function_call")):
        return False
    content = value.get("content")
    if content is None or isinstance(content, str):
        return True
    return isinstance(content, list) and all(
        isinstance(part, dict) and str(part.get("type")) in PART_TYPES for part in content
    )


def _document_start_is_chat(head: bytes) -> bool:
    """A document larger than the head: its first message must begin in it, in the shape of a chat message."""
    text = head.removeprefix(BOM).decode("utf-8", errors="ignore").lstrip()
    found = _ROLE.search(text) if text.startswith(("[", "{")) else None
    if not found or any(f'"{field}"' in text[: found.start()] for field in _OTHERS):
        return False
    start = text.rfind("{", 0, found.start())
    try:
        message, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):  # the message itself is larger than the head, or its content is in parts
        before = text[: found.start()]
        return '"messages"' in before or '"traj"' in before or before.strip() in ("[{", "[ {", "[[{")
    opening = text[:start].rstrip()
    holds = (
        opening in ("[", "[[", "[ [") or opening.endswith(("[",)) and ('"messages"' in opening or '"traj"' in opening)
    )
    return holds and _is_message(message)


def _line_values(head: bytes) -> list[Any]:
    """The values of the lines that are whole in the head; a document on one line is one of them."""
    values: list[Any] = []
    for body in head.removeprefix(BOM).split(b"\n")[:_LOOK_AT_LINES]:
        try:
            values += decode_values(decode_text(body))
        except UnfitLine:
            continue
    if not values and len(head) < HEAD_BYTES:
        try:
            values = decode_values(decode_text(head.removeprefix(BOM)))
        except UnfitLine:
            return []
    return values


FORMATS: tuple[Format, ...] = (
    Format(
        name="claude_code",
        label="Claude Code",
        looked_for='Claude Code lines (objects with "type" and "sessionId")',
        recognise=_is_claude_code,
        parse=claude_code.parse,
    ),
    Format(
        name="codex_cli",
        label="Codex CLI",
        looked_for='Codex rollout lines (objects with "type" and "payload", such as "session_meta")',
        recognise=_is_codex,
        parse=codex.parse,
    ),
    Format(
        name="otlp",
        label="OpenTelemetry",
        looked_for='OTLP JSON (objects with "resourceSpans" or "resourceLogs")',
        recognise=_is_otlp,
        parse=otlp.parse,
    ),
    atif.FORMAT,
    swe_agent.FORMAT,
    mini_swe_agent.FORMAT,
    openhands_v0.FORMAT,
    openhands_v1.FORMAT,
    aider.FORMAT,
    gemini_cli.FORMAT,
    cline.FORMAT,
    pi_agent.FORMAT,
    claude_agent_sdk.FORMAT,
    managed_agents.FORMAT,
    *arrays.FORMATS,
    Format(
        name="openai_chat",
        label="OpenAI chat",
        looked_for='OpenAI chat messages (objects with "role" and "content", alone, in an array or under "messages")',
        recognise=_is_openai_chat,
        parse=openai_chat.parse,
    ),
)
