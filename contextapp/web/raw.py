"""A payload as a page can show it: its fields as text, at most `PART_CHARS` of each at a time. Nothing is interpreted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PART_CHARS = 100_000
LONG_TEXTS = ("content", "text")  # what the log moves into an artifact when it is too long for an event


@dataclass(frozen=True, slots=True)
class Field:
    """A part of one field. Text is shown as text, everything else as indented JSON."""

    name: str
    text: str
    offset: int
    total_chars: int

    @property
    def is_short(self) -> bool:
        return self.total_chars <= 120 and "\n" not in self.text

    @property
    def first(self) -> int:
        return self.offset + 1 if self.text else self.offset

    @property
    def end(self) -> int:
        return self.offset + len(self.text)

    @property
    def next_offset(self) -> int | None:
        return self.end if self.end < self.total_chars else None

    @property
    def previous_offset(self) -> int | None:
        return max(self.offset - PART_CHARS, 0) if self.offset else None


def fields(payload: Mapping[str, Any], part: str = "", offset: int = 0) -> tuple[Field, ...]:
    """All fields from their start; the one named `part` from `offset` on."""
    return tuple(_field(name, value, offset if name == part else 0) for name, value in payload.items())


def artifact_of(payload: Mapping[str, Any]) -> str:
    """The hash of the artifact that holds the whole of a long text, empty when the payload itself does."""
    reference = payload.get("artifact")
    if not isinstance(reference, dict) or not isinstance(payload.get("cut"), dict):
        return ""
    return str(reference.get("sha256", "")) if reference.get("media_type") == "application/json" else ""


def with_whole(payload: Mapping[str, Any], body: bytes) -> Mapping[str, Any]:
    """The payload with its long text as it was before the log moved it; `body` is the artifact, a JSON string."""
    text = json.loads(body)
    name = next((name for name in LONG_TEXTS if isinstance(payload.get(name), str)), "")
    return {**payload, name: text} if name and isinstance(text, str) else payload


def _field(name: str, value: Any, offset: int) -> Field:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
    start = min(offset, len(text))
    return Field(name, text[start : start + PART_CHARS], start, len(text))
