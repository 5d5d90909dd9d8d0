"""A file that was read: head and tail, with the omitted line range named in the file's own numbers. Never shortens a line that
fits."""

from __future__ import annotations

import re

from contextapp.engine.observations.markers import gap, marker
from contextapp.engine.observations.sizes import is_small, room
from contextapp.engine.observations.text import head, number
from contextapp.engine.observations.values import Observation
from contextapp.engine.policy import Limits
from contextapp.engine.reasons import Reason

_NUMBERED = re.compile(r"^\s*(\d+)(?:→|\t|\||:|  )")
_HEAD_PERCENT = 60
_LINE_CHARS = 2_000


def reduce(content: str, *, summary: str, limits: Limits, artifact: str) -> Observation:
    lines = content.splitlines()
    total = len(lines)
    said = f"{summary}: {number(total)} lines"
    if total <= limits.file_read_lines and is_small(content, limits):
        return Observation("read", said, content, total, total, "lines")
    lines = [line if len(line) <= _LINE_CHARS else head(line, _LINE_CHARS) + "…" for line in lines]
    budget = room(content, limits) - 200 - len(artifact)
    wanted = limits.file_read_lines
    head_count = _fitting(lines[: wanted * _HEAD_PERCENT // 100], budget * _HEAD_PERCENT // 100)
    rest = lines[max(head_count, total - (wanted - wanted * _HEAD_PERCENT // 100)) :]
    used = sum(len(line) + 1 for line in lines[:head_count])
    tail_count = _fitting(rest[::-1], budget - used)
    shown = head_count + tail_count
    last = lines[total - tail_count :] if tail_count else []
    middle = [gap(total - shown, "lines", _span(lines, head_count, total - tail_count))] if shown < total else []
    text = "\n".join((*lines[:head_count], *middle, *last, marker(shown, total, "lines", artifact)))
    return Observation("read", said, text, shown, total, "lines", Reason.FILE_READ_EXCERPT)


def _fitting(lines: list[str], budget: int) -> int:
    used = 0
    for count, line in enumerate(lines):
        used += len(line) + 1
        if used > budget:
            return count
    return len(lines)


def _span(lines: list[str], start: int, end: int) -> tuple[int, int]:
    """The omitted lines by the numbers the result itself carries, else by their place in it."""
    first, last = _NUMBERED.match(lines[start]), _NUMBERED.match(lines[end - 1])
    if first and last and int(last[1]) - int(first[1]) == end - 1 - start:
        return int(first[1]), int(last[1])
    return start + 1, end
