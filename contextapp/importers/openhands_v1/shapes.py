"""Whether a JSON value is of OpenHands V1, and whose session a file of a conversation's folder is."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from contextapp.importers.contract import Json
from contextapp.importers.conversation import file_key
from contextapp.importers.heads import begun_values
from contextapp.importers.identity import safe_key

FORMAT_NAME = "openhands_v1"
AGENT = "openhands"
_KIND = re.compile(r"[A-Z][A-Za-z]*(?:Event|Observation|Condensation|Request)|Condensation")
_EVENT_FILE = re.compile(r"event[-_]\d+[-_].*")
_HEX = re.compile(r"[0-9a-f]{32}")
_STATE_NAMES = frozenset({"base_state", "meta"})


def recognise(head: bytes, name: str) -> bool:
    values = begun_values(head)
    found = values[0] if len(values) == 1 and isinstance(values[0], list) else list(values)
    return any(is_event(value) for value in found[:5]) or (len(found) == 1 and is_state(found[0]))


def is_event(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        return False
    return bool(_KIND.fullmatch(value["kind"])) and {"id", "source"} <= value.keys()


def is_state(value: Any) -> bool:
    """`base_state.json` of a conversation's folder: its settings and counters, no event."""
    if not isinstance(value, dict) or "id" not in value:
        return False
    agent = value.get("agent")
    return isinstance(agent, dict) and "llm" in agent and ("workspace" in value or "execution_status" in value)


def is_piece(name: str) -> bool:
    """A file that holds one event, or the state, of a conversation whose other files stand beside it."""
    stem = PurePath(name).stem
    return bool(_EVENT_FILE.fullmatch(stem)) or stem in _STATE_NAMES


def session_key(name: str) -> str:
    """A conversation's folder is named by its id; a folder that is not is known by its path."""
    if not is_piece(name):
        return file_key(FORMAT_NAME, name)
    folder = PurePath(name).parent
    folder = folder.parent if folder.name == "events" else folder
    own = folder.name.replace("-", "").lower()
    return f"{FORMAT_NAME}:{safe_key(own)}" if _HEX.fullmatch(own) else file_key(FORMAT_NAME, str(folder))


def text_at(value: Json, *names: str) -> str:
    """A text some levels down, or "" where there is none."""
    found: Any = value
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""
