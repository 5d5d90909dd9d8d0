"""Masks the secrets of a payload at the one place where everything enters the log. The original is kept nowhere.

Same payload, same result: a retry of an event is still the same event.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from contextapp.eventlog.masking.scan import BUILT_IN, Finding, Scanner
from contextapp.evidence import canonical

MARKS_LIMIT = 100


@dataclass(frozen=True, slots=True)
class Mark:
    """One masked place: the rule, the JSON pointer of the string, and where the replacement starts in it."""

    rule: str
    path: str
    offset: int

    def to_dict(self) -> dict[str, Any]:
        return {"rule": self.rule, "path": self.path, "offset": self.offset}


@dataclass(slots=True)
class _Walk:
    replaces: bool
    scanner: Scanner
    marks: list[Mark] = field(default_factory=list)

    def value(self, value: object, path: str) -> object:
        if isinstance(value, str):
            return self.text(value, path)
        if isinstance(value, dict):
            return self.members(value, path)
        if isinstance(value, (list, tuple)):
            return [self.value(inner, canonical.pointer(path, place)) for place, inner in enumerate(value)]
        return value

    def text(self, text: str, path: str) -> str:
        return self.replace(text, self.scanner.find(text), path)

    def members(self, members: dict[str, object], path: str) -> dict[str, object]:
        made: dict[str, object] = {}
        for key, inner in members.items():
            name = self.text(key, path)
            while name in made:  # two keys may be masked to the same text
                name += "'"
            below = canonical.pointer(path, name)
            if isinstance(inner, str):
                found = self.scanner.find(inner) or self.as_assignment(key, inner)
                made[name] = self.replace(inner, found, below)
            else:
                made[name] = self.value(inner, below)
        return made

    def as_assignment(self, key: str, value: str) -> tuple[Finding, ...]:
        """Secrets that are one only beside their name, as in {"aws_secret_access_key": "..."}."""
        if len(key) + len(value) > 1000:
            return ()
        shift = len(key) + 1
        found = self.scanner.find(f"{key}={value}")
        return tuple(
            Finding(finding.rule, finding.start - shift, finding.end - shift)
            for finding in found
            if finding.start >= shift
        )

    def replace(self, text: str, found: tuple[Finding, ...], path: str) -> str:
        if not found:
            return text
        parts: list[str] = []
        position = length = 0
        for finding in found:
            kept = text[position : finding.start]
            shown = f"[masked:{finding.rule}]" if self.replaces else text[finding.start : finding.end]
            self.marks.append(Mark(finding.rule, path, length + len(kept)))
            parts += [kept, shown]
            length += len(kept) + len(shown)
            position = finding.end
        return "".join([*parts, text[position:]])


def find_marks(
    payload: dict[str, Any], body: bytes, *, replaces: bool, scanner: Scanner = BUILT_IN
) -> tuple[dict[str, Any], tuple[Mark, ...]]:
    """The payload with its secrets replaced (or not) and where they stood. `body` is its canonical form."""
    if not scanner.may_hold_secret(body):
        return payload, ()
    walk = _Walk(replaces, scanner)
    made = walk.members(payload, "")
    return made, tuple(walk.marks)


def mask_text(text: str, scanner: Scanner = BUILT_IN) -> str:
    """A text on its own, such as a title or a text artifact."""
    return _Walk(replaces=True, scanner=scanner).text(text, "")


def with_marks(payload: dict[str, Any], marks: tuple[Mark, ...], *, name: str) -> dict[str, Any]:
    """The payload carrying its marks under `name`; at most MARKS_LIMIT are listed, all are counted."""
    if not marks:
        return payload
    listed = [mark.to_dict() for mark in marks[:MARKS_LIMIT]]
    return {**payload, name: listed, f"{name}_total": len(marks)}
