"""Output of a command or a test run: terminal noise off, repetitions counted, and over the limit its end, its errors and its
verdict. Never drops a line that says how it ended while it fits."""

from __future__ import annotations

import re

from contextapp.engine.observations import plain
from contextapp.engine.observations.markers import gap, marker
from contextapp.engine.observations.sizes import is_small, room
from contextapp.engine.observations.text import head, number
from contextapp.engine.observations.values import Observation
from contextapp.engine.observations.verdicts import is_error, is_verdict, verdict_line
from contextapp.engine.policy import Limits
from contextapp.engine.reasons import Reason

SMALL_CHARS = 2_000  # below this an output stays byte for byte
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|[@-Z\\-_=>78])")
_REPEATS = 3
_HEAD_PERCENT = 20
_KEPT_PERCENT = 20  # of the limit, for lines out of the middle that speak of errors
_KEPT_LINES = 40
_LINE_CHARS = 2_000


def reduce(content: str, *, summary: str, kind: str, limits: Limits, artifact: str, is_error: bool) -> Observation:
    total = content.count("\n") + bool(content and not content.endswith("\n"))
    said = _summary(summary, content, total, is_error)
    if len(content) <= SMALL_CHARS and is_small(content, limits):
        return Observation(kind, said, content, total, total, "lines")
    lines = folded(shown_lines(content))
    text = "\n".join(lines)
    if is_small(text, limits):
        if len(text) >= len(content):
            return Observation(kind, said, content, total, total, "lines")
        return Observation(kind, said, text, total, total, "lines", Reason.COMMAND_EXCERPT)
    budget = room(text, limits) - 200 - len(artifact)
    kept = _kept(lines, budget)
    if len(kept) < 2:
        body, shown = plain.cut(text, room(text, limits), artifact, _HEAD_PERCENT)
        return Observation(kind, said, body, shown, len(content), "characters", Reason.COMMAND_EXCERPT)
    parts, last = [], -1
    for place in kept:
        if place > last + 1:
            parts.append(gap(place - last - 1, "lines"))
        parts.append(_clipped(lines[place]))
        last = place
    parts.append(marker(len(kept), len(lines), "lines", artifact))
    return Observation(kind, said, "\n".join(parts), len(kept), len(lines), "lines", Reason.COMMAND_EXCERPT)


def _summary(summary: str, content: str, total: int, is_error: bool) -> str:
    verdict = verdict_line(content, 120) if content else "no output"
    return f"{summary}: {'failed, ' if is_error else ''}{number(total)} lines, {verdict}"


def shown_lines(content: str) -> list[str]:
    """What a terminal would show at the end: no colour codes, of a progress bar its last state."""
    plain_text = _ANSI.sub("", content) if "\x1b" in content else content
    lines = []
    for line in plain_text.replace("\r\n", "\n").split("\n"):
        if "\r" in line:
            states = [state for state in line.split("\r") if state.strip()]
            line = states[-1] if states else ""
        lines.append(line)
    return lines


def folded(lines: list[str]) -> list[str]:
    """Runs of one line as that line and its count, where that is shorter."""
    kept: list[str] = []
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and lines[end] == lines[start]:
            end += 1
        count = end - start
        note = f"[the line above {number(count)} times]"
        saves = len(note) < (count - 1) * (len(lines[start]) + 1)
        kept += [lines[start], note] if count >= _REPEATS and saves else lines[start:end]
        start = end
    return kept


def _kept(lines: list[str], budget: int) -> list[int]:
    """Places of the lines to show, in order: the start, the errors between, and most of all the end."""
    costs = [min(len(line), _LINE_CHARS) + 1 for line in lines]
    first = _while_fits(costs, range(len(lines)), budget * _HEAD_PERCENT // 100)
    used = sum(costs[place] for place in first)
    reserved = budget * _KEPT_PERCENT // 100
    last = _while_fits(costs, range(len(lines) - 1, len(first) - 1, -1), budget - used - reserved)
    used += sum(costs[place] for place in last)
    shown = {*first, *last}
    middle = [place for place in range(len(first), len(lines) - len(last)) if is_verdict(lines[place])]
    for place in _most_telling(lines, middle):
        cost = costs[place] + len(gap(10_000, "lines")) + 1
        if used + cost <= budget:
            shown.add(place)
            used += cost
    return sorted(shown)


def _most_telling(lines: list[str], verdicts: list[int]) -> list[int]:
    """Of the lines that tell how something ended: failures before all others, of each the first and the last."""
    failures = [place for place in verdicts if is_error(lines[place])]
    others = [place for place in verdicts if not is_error(lines[place])]
    half = _KEPT_LINES // 2
    return [place for places in (failures, others) for place in places[:half] + places[half:][-half:]][:_KEPT_LINES]


def _while_fits(costs: list[int], places: range, budget: int) -> list[int]:
    kept, used = [], 0
    for place in places:
        used += costs[place]
        if used > budget:
            break
        kept.append(place)
    return kept


def _clipped(line: str) -> str:
    return line if len(line) <= _LINE_CHARS else head(line, _LINE_CHARS) + "…"
