"""Reads memory out of files that people have already: bullets of CLAUDE.md style, and mem0's export. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

BULLETS, MEM0 = "bullets", "mem0"
_BULLET = re.compile(r"^(?P<indent>\s*)(?:[-*+]|\d+[.)])\s+(?P<text>\S.*)$")
_HEADING = re.compile(r"^#{1,6}\s+(?P<text>.+?)\s*#*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_RULE = re.compile(r"\b(?:never|always|must|do\s+not|don['’]?t|only)\b|不要|不得|必须|禁止|只能|总是|一律", re.I)
_TASTE = re.compile(r"\b(?:prefers?|likes?|wants?|style)\b|喜欢|偏好|希望", re.I)


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement of a file: where it stands, and what it is about (its heading)."""

    claim: str
    kind: str
    line: int
    heading: str = ""
    created_at: str = ""
    user: str = ""


class UnreadableFile(ValueError):
    """The file holds no memory that we know how to read."""


def recognise(text: str) -> str:
    """`mem0` for its JSON, else `bullets`."""
    return MEM0 if text.lstrip()[:1] in ("{", "[") else BULLETS


def read(text: str) -> tuple[Entry, ...]:
    """The statements in order. UnreadableFile says what is wrong and what is understood."""
    entries = tuple(_mem0(text) if recognise(text) == MEM0 else _bullets(text))
    if not entries:
        raise UnreadableFile("no statement in it; bullet lists (`- ...`) and the JSON export of mem0 are understood")
    return entries


def _bullets(text: str) -> Iterator[Entry]:
    """Each bullet with the lines that continue it; code blocks are no statements."""
    heading, held, in_code = "", None, False
    for number, line in enumerate(text.replace("\r\n", "\n").lstrip("\ufeff").split("\n"), start=1):
        if _FENCE.match(line):
            in_code = not in_code
            continue
        if in_code:
            continue
        bullet, title = _BULLET.match(line), _HEADING.match(line)
        if held is not None and (bullet or title or not line.strip()):
            yield _entry(*held, heading)
            held = None
        if title:
            heading = title["text"].strip()
        elif bullet:
            held = (bullet["text"].strip(), number)
        elif held is not None:
            held = (f"{held[0]} {line.strip()}", held[1])
    if held is not None:
        yield _entry(*held, heading)


def _entry(text: str, line: int, heading: str) -> Entry:
    claim = re.sub(r"^\[[ xX]\]\s+|\*\*|__", "", text).strip()
    return Entry(claim, _kind(claim), line, heading)


def _mem0(text: str) -> Iterator[Entry]:
    """mem0 gives `{"results": [...]}`, `{"memories": [...]}` or the list alone; an entry has `memory`, perhaps a user."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise UnreadableFile(f"it begins like JSON and is none: {error}") from error
    if isinstance(content, dict):
        content = next(
            (content[name] for name in ("results", "memories", "data") if isinstance(content.get(name), list)), None
        )
    if not isinstance(content, list):
        raise UnreadableFile("JSON without a list of memories; mem0's export has one under `results`")
    for number, entry in enumerate(content, start=1):
        claim = _text(entry, "memory") or _text(entry, "text") or _text(entry, "data")
        if claim:
            yield Entry(claim, _kind(claim), number, "", _text(entry, "created_at"), _text(entry, "user_id"))


def _text(entry: Any, name: str) -> str:  # any JSON value
    found = entry.get(name) if isinstance(entry, dict) else None
    return found.strip() if isinstance(found, str) else ""


def _kind(claim: str) -> str:
    if _RULE.search(claim):
        return "constraint"
    return "preference" if _TASTE.search(claim) else "fact"
