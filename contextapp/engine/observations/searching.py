"""Search results and listings: the first entries and the total, matches grouped by file. Never reorders what a tool ranked."""

from __future__ import annotations

import re

from contextapp.engine.observations.markers import marker
from contextapp.engine.observations.text import head, number
from contextapp.engine.observations.values import Observation
from contextapp.engine.policy import Limits
from contextapp.engine.reasons import Reason

_MATCH = re.compile(r"^(?P<path>(?:[A-Za-z]:)?[^:\n]+?):(?P<line>\d+)[:-](?P<text>.*)$")
_UNDER_HEADING = re.compile(r"^\s*(?:Line\s+|L)?(?P<line>\d+)\s*[:|-](?P<text>.*)$")
_LINE_CHARS = 400


def search(content: str, *, summary: str, limits: Limits, artifact: str) -> Observation:
    """Lines that name a file and a line are matches; where there is none, every line is one."""
    lines = [line for line in content.splitlines() if line.strip() and line.strip() != "--"]
    matches = [found for found in map(_MATCH.match, lines) if found]
    if not matches:
        return _headed(content, lines, summary, limits, artifact)
    grouped: dict[str, list[str]] = {}
    total, files = len(matches), {found["path"] for found in matches}
    for found in matches[: limits.search_matches]:
        grouped.setdefault(found["path"], []).append(f"  {found['line']}: {_clipped(found['text'].strip())}")
    shown = min(total, limits.search_matches)
    said = f"{summary}: {number(total)} matches in {number(len(files))} files"
    if total <= limits.search_matches:
        return Observation("search", said, content, total, total, "matches")
    how = f"in {number(len(grouped))} of {number(len(files))} files"
    body = [row for path, rows in grouped.items() for row in (path, *rows)]
    text = "\n".join((*body, marker(shown, total, "matches", artifact, how=how)))
    return Observation("search", said, text, shown, total, "matches", Reason.SEARCH_EXCERPT)


def _headed(content: str, lines: list[str], summary: str, limits: Limits, artifact: str) -> Observation:
    """`rg --heading` and the like: a file's name, then its lines by number; else plain lines."""
    numbered = [bool(_UNDER_HEADING.match(line)) for line in lines]
    if not any(numbered):
        return listing(content, summary=summary, limits=limits, artifact=artifact, kind="search")
    total = sum(numbered)
    said = f"{summary}: {number(total)} matches"
    if total <= limits.search_matches:
        return Observation("search", said, content, total, total, "matches")
    kept, shown = [], 0
    for line, is_match in zip(lines, numbered, strict=True):
        if shown == limits.search_matches:
            break
        kept.append(_clipped(line))
        shown += is_match
    text = "\n".join((*kept, marker(shown, total, "matches", artifact)))
    return Observation("search", said, text, shown, total, "matches", Reason.SEARCH_EXCERPT)


def listing(content: str, *, summary: str, limits: Limits, artifact: str, kind: str = "list") -> Observation:
    lines = [line for line in content.splitlines() if line.strip()]
    total = len(lines)
    limit = limits.search_matches if kind == "search" else limits.list_entries
    unit = "matches" if kind == "search" else "entries"
    said = f"{summary}: {number(total)} {unit}"
    if total <= limit:
        return Observation(kind, said, content, total, total, unit)
    text = "\n".join((*(_clipped(line) for line in lines[:limit]), marker(limit, total, unit, artifact)))
    reason = Reason.SEARCH_EXCERPT if kind == "search" else Reason.LIST_EXCERPT
    return Observation(kind, said, text, limit, total, unit, reason)


def _clipped(line: str) -> str:
    return line if len(line) <= _LINE_CHARS else head(line, _LINE_CHARS) + "…"
