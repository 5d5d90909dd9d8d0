"""Reads a model's summary and holds it to its form. Takes nothing that reads like an order, a tool call or a new rule."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence

from contextapp.engine import isolation
from contextapp.engine.compaction.summary import DENIED, GOAL, Line
from contextapp.engine.projection import constraints
from contextapp.engine.projection.payloads import short

_TELL_RULES = (GOAL, DENIED)  # what the user wants, and what was refused, is told in words that forbid
_RULES = (constraints.PROHIBITION, constraints.APPROVAL)
MOST_LINES, LINE_CHARS = 40, 400
_MARKUP = re.compile(
    r"<\s*/?\s*(?:tool_call|tool_use|function(?:_calls?)?|invoke|antml|\|im_start\||\|start\|)|\[TOOL_CALLS\]", re.I
)
_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n\s*```\s*\Z", re.S)


def read(
    said: str, sections: Sequence[str], seqs: Collection[int], rules: Collection[str] = ()
) -> dict[str, tuple[Line, ...]] | str:
    """The sections, or what is wrong with the answer: a code, a colon, and words that the model could mend it by. `rules`: the
    constraints in force, which a line may repeat; it may set no other."""
    if not said.strip():
        return "empty: there was no text"
    if _MARKUP.search(said):
        return "tool_markup: the answer holds markup of tool calls; a summary is plain text"
    found = _FENCED.match(said)
    try:
        given = json.loads(found[1] if found else said)
    except (ValueError, RecursionError):
        return "not_json: the answer is no JSON object"
    if not isinstance(given, dict):
        return "not_json: the answer is no JSON object"
    if unknown := sorted(map(str, set(given) - set(sections))):
        return f"unknown_section: {unknown[0][:40]!r} is none of {', '.join(sections)}"
    made: dict[str, tuple[Line, ...]] = {}
    for section in sections:
        lines = _lines(section, given.get(section, []), seqs, rules)
        if isinstance(lines, str):
            return lines
        if lines:
            made[section] = lines
    return made if made.get(GOAL) else "no_goal: the section goal is empty"


def _lines(section: str, entries: object, seqs: Collection[int], rules: Collection[str]) -> tuple[Line, ...] | str:
    if not isinstance(entries, list):
        return f"wrong_form: {section} is no list"
    lines = []
    for entry in entries[:MOST_LINES]:
        if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
            return f'wrong_form: an entry of {section} is no {{"text", "events"}}'
        text = " ".join(entry["text"].split())
        if not text:
            continue
        if signals := isolation.scan(text):
            return f"injection: a line of {section} reads like an order ({signals[0].code}): {text[:80]!r}"
        if section not in _TELL_RULES and constraints.kind_of(text) in _RULES and not _repeats(text, rules):
            return f"unknown_constraint: a line of {section} sets a rule: {text[:80]!r}"
        events = entry.get("events")
        numbers = [seq for seq in events if type(seq) is int and seq in seqs] if isinstance(events, list) else []
        if not numbers:
            return f"no_events: a line of {section} names no event of the range: {text[:80]!r}"
        lines.append(Line(short(text, LINE_CHARS), tuple(numbers[:4]), text[:80]))
    return tuple(lines)


def _repeats(text: str, rules: Collection[str]) -> bool:
    plain = " ".join(text.casefold().split())
    return any(" ".join(rule.casefold().split()) in plain for rule in rules)
