"""A structured summary as a value: sections of lines, each with the events it is from. Says how it reads; makes none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from contextapp.engine.values import Trust

GOAL, CONSTRAINTS, INSPECTED, MODIFIED, COMMANDS = "goal", "constraints", "inspected", "modified", "commands"
DECISIONS, FAILED, DENIED, OPEN, NEXT, EARLIER = "decisions", "failed", "denied", "open", "next", "earlier"
SECTIONS = (GOAL, CONSTRAINTS, MODIFIED, INSPECTED, COMMANDS, DECISIONS, FAILED, DENIED, OPEN, NEXT, EARLIER)
LINE_LIMIT = 2_000  # characters of one line read back from a payload
_HEADINGS = {
    "en": {
        GOAL: "The user's goal", CONSTRAINTS: "Constraints", MODIFIED: "Files modified", INSPECTED: "Files inspected",
        COMMANDS: "Commands and what they showed", DECISIONS: "Decisions", FAILED: "Attempts that failed",
        DENIED: "Denied", OPEN: "Still open", NEXT: "Next step", EARLIER: "From an earlier summary",
    },
    "zh": {
        GOAL: "用户的目标", CONSTRAINTS: "约束", MODIFIED: "已修改的文件", INSPECTED: "已查看的文件",
        COMMANDS: "命令及其结果", DECISIONS: "决定", FAILED: "失败的尝试",
        DENIED: "被拒绝的操作", OPEN: "尚未完成", NEXT: "下一步", EARLIER: "来自更早的摘要",
    },
}  # fmt: skip
_TITLE = {"en": "Summary of events {first} to {last}", "zh": "事件 {first} 至 {last} 的摘要"}
_EVENT = {"en": "event", "zh": "事件"}
_MORE = {"en": "and {count} more", "zh": "另有 {count} 项"}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing remembered. `key` tells it from others of its section: a constraint's id, a file's path, a command."""

    text: str
    seqs: tuple[int, ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """`omitted`: lines per section that a limit left out. `language`: en or zh, as the user writes."""

    first_seq: int
    last_seq: int
    sections: Mapping[str, tuple[Line, ...]]
    trust: Trust
    language: str = "en"
    omitted: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, section: str) -> tuple[Line, ...]:
        return self.sections.get(section, ())

    def text(self) -> str:
        """As the model reads it; the same summary, the same bytes."""
        headings, event = _HEADINGS[self.language], _EVENT[self.language]
        parts = [_TITLE[self.language].format(first=self.first_seq, last=self.last_seq)]
        for section in SECTIONS:
            lines = [f"- {line.text}{_reference(line.seqs, event)}" for line in self.of(section)]
            if left := self.omitted.get(section, 0):
                lines.append(f"- {_MORE[self.language].format(count=left)}")
            if lines:
                parts.append("\n".join((f"{headings[section]}:", *lines)))
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """For the payload of `session.compacted`."""
        return {
            section: [
                {"text": line.text, "seqs": list(line.seqs), **({"key": line.key} if line.key else {})}
                for line in self.of(section)
            ]
            for section in SECTIONS
            if self.of(section)
        }


def sections_of(stored: object) -> dict[str, tuple[Line, ...]]:
    """What `to_dict` wrote, or what another writer put in its place: whatever is no line of a section is left out."""
    found: dict[str, tuple[Line, ...]] = {}
    if not isinstance(stored, Mapping):
        return found
    for section in SECTIONS:
        entries = stored.get(section)
        lines = tuple(_lines(entries)) if isinstance(entries, list | tuple) else ()
        if lines:
            found[section] = lines
    return found


def _lines(entries: Iterable[object]) -> Iterable[Line]:
    for entry in entries:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("text"), str) or not entry["text"].strip():
            continue
        seqs, key = entry.get("seqs"), entry.get("key")
        numbers = tuple(seq for seq in seqs if type(seq) is int and seq > 0) if isinstance(seqs, list | tuple) else ()
        yield Line(entry["text"][:LINE_LIMIT], numbers, key if isinstance(key, str) else "")


def _reference(seqs: tuple[int, ...], event: str) -> str:
    shown = ", ".join(str(seq) for seq in seqs[:4])
    return f" ({event} {shown})" if shown else ""
