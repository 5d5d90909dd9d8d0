"""A policy as a form: its fields with words, ranges and faults, and back from a form to a body. Decides and stores nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from contextapp.engine.policy import LAYOUTS
from contextapp.engine.shares import DEFAULT_SHARES, PARTS
from contextapp.engine.values import Bucket
from contextapp.policy.checking import FLOORS, FRACTIONS, GLOBS, LIMITS, MARKS, SWITCHES
from contextapp.policy.errors import Fault

type Body = Mapping[str, Any]  # JSON of a policy
type Word = str | Promise

LABELS: Mapping[str, Word] = {
    "file_read_lines": _("Lines of a file that is read"),
    "search_matches": _("Matches of a search"),
    "list_entries": _("Entries of a listing"),
    "result_chars": _("Characters of any result"),
    "result_tokens": _("Tokens of any result"),
    "old_result_chars": _("Characters of an older result"),
    "old_argument_chars": _("Characters of an older call's arguments"),
    "instruction_file_chars": _("Characters of an instruction file"),
    "memory_records": _("Memory records at most"),
    "memory_min_confidence": _("Least confidence of a memory record"),
    "memory_floor": _("Percent of the best match that a record must reach"),
    "evidence_min_score": _("Least score of evidence"),
    "tail_key_events_min": _("Messages of the recent tail, at least"),
    "tail_key_events": _("Messages of the recent tail, usually"),
    "tail_key_events_max": _("Messages of the recent tail, at most"),
    "instructions_hard_limit": _("Instructions stay whole up to, percent of the window"),
    "high_mark": _("History is cut when it passes, percent of the transcript"),
    "low_mark": _("and is cut back to, percent of the transcript"),
    "fresh_share": _("History that stays unreduced at most, percent"),
    "stable_tools": _("One set of tools for the whole session"),
    "lend_unused": _("Buckets lend what they do not use"),
    "keep_thinking": _("Keep the thinking of closed turns"),
    "deny_paths": _("Paths that no model may see, one pattern a line"),
    "include_resources": _("Resources that enter unasked, one pattern a line"),
    "safety_text": _("Safety text"),
    "layout": _("Layout"),
    "state": _("state"),
    "latest_observation": _("latest observation"),
    "recent_tail": _("recent tail"),
    "evidence": _("evidence"),
    "older_history": _("older history"),
    "unknown": _("no phase known"),
    "cache_first": _("cache first"),
    "layered": _("nine layers"),
    "attention_first": _("attention first"),
}
GROUPS: tuple[tuple[Word, tuple[str, ...]], ...] = (
    (_("Results of tools"), tuple(f"limits.{name}" for name in (
        "file_read_lines", "search_matches", "list_entries", "result_chars", "result_tokens"))),
    (_("History"), ("high_mark", "low_mark", "fresh_share", *(f"limits.{name}" for name in (
        "old_result_chars", "old_argument_chars", "tail_key_events_min", "tail_key_events", "tail_key_events_max")))),
    (_("Instructions and memory"), ("instructions_hard_limit", *(f"limits.{name}" for name in (
        "instruction_file_chars", "memory_records", "memory_min_confidence", "memory_floor", "evidence_min_score")))),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Slice:
    """A bucket's share of the window, and where it stands in the picture; all in percent."""

    bucket: str
    percent: int
    start: int
    floor: int

    @property
    def middle(self) -> float:
        return self.start + self.percent / 2

    @property
    def is_wide(self) -> bool:
        return self.percent >= 3  # enough for its letter


@dataclass(frozen=True, slots=True)
class Field:
    """One number of the form. A value that is no number stands as it was typed."""

    name: str
    label: Word
    value: object
    least: float
    most: float
    is_faulty: bool

    @property
    def step(self) -> str:
        return "0.01" if self.name.split(".")[-1] in FRACTIONS else "1"


@dataclass(frozen=True, slots=True)
class Form:
    slices: tuple[Slice, ...]
    total: int
    groups: tuple[tuple[Word, tuple[Field, ...]], ...]
    parts: tuple[Word, ...]
    phases: tuple[tuple[str, Word, tuple[Field, ...]], ...]
    switches: tuple[tuple[str, Word, bool], ...]
    texts: tuple[tuple[str, Word, str, bool], ...]
    layouts: tuple[tuple[str, Word, bool], ...]


def slices(body: Body) -> tuple[Slice, ...]:
    """In the order of a request; what is no number has no width."""
    made, start = [], 0
    for bucket in Bucket:
        given = body.get("ratios", {}).get(bucket.value, 0)
        percent = min(max(given, 0), 100) if type(given) is int else 0
        made.append(Slice(bucket.value, percent, start, FLOORS.get(bucket.value, 0)))
        start += percent
    return tuple(made)


def form_of(body: Body, faults: Iterable[Fault] = ()) -> Form:
    faulty = {fault.field for fault in faults}
    drawn = slices(body)
    shares = {phase: body.get("phase_shares", {}).get(phase, parts) for phase, parts in DEFAULT_SHARES.items()}
    return Form(
        slices=drawn,
        total=sum(one.percent for one in drawn),
        groups=tuple((title, tuple(_number(body, name, faulty) for name in names)) for title, names in GROUPS),
        parts=tuple(LABELS[part] for part in PARTS),
        phases=tuple(
            (phase, LABELS.get(phase, ""), tuple(_share(phase, part, parts.get(part), faulty) for part in PARTS))
            for phase, parts in shares.items()
        ),
        switches=tuple((name, LABELS[name], bool(body.get(name))) for name in SWITCHES),
        texts=(
            ("safety_text", LABELS["safety_text"], str(body.get("safety_text", "")), "safety_text" in faulty),
            *((name, LABELS[name], "\n".join(body.get(name, ())), name in faulty) for name in GLOBS),
        ),
        layouts=tuple((name, LABELS[name], body.get("layout") == name) for name in LAYOUTS),
    )


def body_from(given: QueryDict, stored: Body) -> dict[str, Any]:
    """The body that a form describes; what the form does not show stays as stored. Numbers that are none stay as typed."""
    body = deepcopy(dict(stored))
    body["ratios"] = {bucket.value: _typed(given, f"ratios.{bucket.value}") for bucket in Bucket}
    body["limits"] = {name: _typed(given, f"limits.{name}") for name in (*LIMITS, *FRACTIONS)}
    for name in MARKS:
        if not name.startswith("baseline"):
            body[name] = _typed(given, name)
    body["phase_shares"] = {
        phase: {part: _typed(given, f"phase_shares.{phase}.{part}") for part in PARTS} for phase in DEFAULT_SHARES
    }
    for name in SWITCHES:
        body[name] = name in given
    for name in GLOBS:
        body[name] = [line.strip() for line in given.get(name, "").splitlines() if line.strip()]
    body["safety_text"] = given.get("safety_text", "").replace("\r\n", "\n").strip()
    body["layout"] = given.get("layout", "")
    return body


def differences(one: Body, other: Body) -> tuple[tuple[str, object, object], ...]:
    """(dotted field, its value in one, in the other) of each field that differs."""
    left, right = dict(_flat(one)), dict(_flat(other))
    names = sorted(left.keys() | right.keys())
    return tuple((name, left.get(name), right.get(name)) for name in names if left.get(name) != right.get(name))


def _flat(body: Body, place: str = "") -> Iterator[tuple[str, object]]:
    for name, value in body.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{place}{name}.")
        elif f"{place}{name}" != "number":
            yield f"{place}{name}", str(value).lower() if isinstance(value, bool) else value  # as in a file


def _number(body: Body, place: str, faulty: set[str]) -> Field:
    name = place.removeprefix("limits.")
    value = body.get("limits", {}).get(name) if place != name else body.get(name)
    least, most = (0, 1) if name in FRACTIONS else LIMITS.get(name) or MARKS[name]
    return Field(place, LABELS[name], value, least, most, place in faulty)


def _share(phase: str, part: str, value: object, faulty: set[str]) -> Field:
    place = f"phase_shares.{phase}.{part}"
    return Field(place, LABELS[part], value, 0, 100, place in faulty or f"phase_shares.{phase}" in faulty)


def _typed(given: QueryDict, name: str) -> int | float | str:
    text = given.get(name, "").replace(",", "").strip()
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdecimal() and len(digits) < 12:
        return int(text)
    try:
        return float(text) if name.split(".")[-1] in FRACTIONS else text
    except ValueError:
        return text
