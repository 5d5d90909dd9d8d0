"""Says what is wrong with a policy's body, field by field, in plain words. Pure but for the language; stores nothing.

The engine refuses what contradicts itself at the first fault and in English; a person who edits wants all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from contextapp.engine.errors import InvalidPolicy
from contextapp.engine.policy import BASELINES, LAYOUTS, Policy
from contextapp.engine.shares import DEFAULT_SHARES, PARTS
from contextapp.engine.values import Bucket
from contextapp.policy.errors import Fault

# The least percent that a bucket may be given: below it no request of any use fits.
FLOORS: Mapping[str, int] = {"instructions": 1, "transcript": 20, "reserve": 2}
MARKS: Mapping[str, tuple[int, int]] = {
    "instructions_hard_limit": (1, 90),
    "high_mark": (2, 100),
    "low_mark": (1, 99),
    "fresh_share": (1, 100),
    "baseline_messages": (1, 100_000),
    "baseline_tokens": (0, 100_000_000),
}
LIMITS: Mapping[str, tuple[int, int]] = {
    "file_read_lines": (1, 100_000),
    "search_matches": (1, 10_000),
    "list_entries": (1, 10_000),
    "result_chars": (100, 10_000_000),
    "result_tokens": (50, 1_000_000),
    "old_result_chars": (0, 1_000_000),
    "old_argument_chars": (0, 1_000_000),
    "instruction_file_chars": (100, 10_000_000),
    "memory_records": (0, 1_000),
    "memory_floor": (0, 100),
    "tail_key_events": (0, 1_000),
    "tail_key_events_max": (0, 1_000),
    "tail_key_events_min": (0, 1_000),
}
FRACTIONS = ("memory_min_confidence", "evidence_min_score")
SWITCHES = ("stable_tools", "lend_unused", "keep_thinking")
GLOBS = ("deny_paths", "include_resources")
MOST_GLOBS, GLOB_CHARS, TEXT_CHARS = 200, 300, 4_000

type Body = Mapping[str, Any]  # JSON as a person or a file gave it
type Check = Callable[[Body], Iterator[Fault]]


def faults_of(body: object) -> tuple[Fault, ...]:
    """Every fault of the body; empty: the engine takes it."""
    if not isinstance(body, Mapping):
        return (Fault("", _("A policy is an object with fields; this is %(kind)s.") % {"kind": type(body).__name__}),)
    found = tuple(fault for check in _CHECKS for fault in check(body))
    if found:
        return found
    try:
        Policy.from_dict(body)
    except InvalidPolicy as error:  # what contradicts between fields
        return (Fault("", str(error)),)
    return ()


def _fields(body: Body) -> Iterator[Fault]:
    known = Policy().to_dict()
    for name in sorted(set(map(str, body)) - set(known)):
        yield Fault(name[:60], _unknown(name, known))
    limits = body.get("limits", {})
    if not isinstance(limits, Mapping):
        yield _not_an_object("limits", limits)
        return
    for name in sorted(set(map(str, limits)) - set(known["limits"])):
        yield Fault(f"limits.{name[:60]}", _unknown(name, known["limits"]))


def _ratios(body: Body) -> Iterator[Fault]:
    ratios = body.get("ratios", Policy().to_dict()["ratios"])
    if not isinstance(ratios, Mapping):
        yield _not_an_object("ratios", ratios)
        return
    buckets = [bucket.value for bucket in Bucket]
    yield from _parts("ratios", ratios, buckets, FLOORS)


def _shares(body: Body) -> Iterator[Fault]:
    phases = body.get("phase_shares", {})
    if not isinstance(phases, Mapping):
        yield _not_an_object("phase_shares", phases)
        return
    for phase, parts in phases.items():
        place = f"phase_shares.{str(phase)[:60]}"
        if phase not in DEFAULT_SHARES:
            yield Fault(place, _unknown(str(phase), DEFAULT_SHARES))
        elif not isinstance(parts, Mapping):
            yield _not_an_object(place, parts)
        else:
            yield from _parts(place, parts, PARTS, {})


def _parts(place: str, given: Mapping[str, Any], names: Any, floors: Mapping[str, int]) -> Iterator[Fault]:
    """Percents by name: each of the names once, none beneath its floor, 100 in all."""
    before = True
    for name in sorted(set(map(str, given)) - set(names)):
        before = False
        yield Fault(f"{place}.{name[:60]}", _unknown(name, names))
    for name in names:
        fault = _whole(f"{place}.{name}", given.get(name), floors.get(name, 0), 100)
        if fault is not None:
            before = False
            yield fault
    total = sum(given[name] for name in names) if before else 100
    if total != 100:
        words = _("%(field)s sum to %(total)s; they must sum to 100.")
        yield Fault(place, words % {"field": place, "total": total})


def _numbers(body: Body) -> Iterator[Fault]:
    default = Policy().to_dict()
    limits = body.get("limits", {}) if isinstance(body.get("limits", {}), Mapping) else {}
    limits = default["limits"] | dict(limits)
    for name, (least, most) in MARKS.items():
        fault = _whole(name, body.get(name, default[name]), least, most)
        if fault is not None:
            yield fault
    for name, (least, most) in LIMITS.items():
        fault = _whole(f"limits.{name}", limits[name], least, most)
        if fault is not None:
            yield fault
    for name in FRACTIONS:
        value = limits[name]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            words = _("%(field)s is %(value)s; give a number from 0 to 1.")
            yield Fault(f"limits.{name}", words % {"field": f"limits.{name}", "value": shown(value)})


def _order(body: Body) -> Iterator[Fault]:
    default = Policy().to_dict()
    low, high = (body.get(name, default[name]) for name in ("low_mark", "high_mark"))
    if type(low) is int and type(high) is int and low >= high:
        words = _("low_mark is %(low)s and high_mark is %(high)s; the low mark must lie beneath the high one.")
        yield Fault("low_mark", words % {"low": low, "high": high})
    given = body.get("limits", {})
    limits = default["limits"] | dict(given if isinstance(given, Mapping) else {})
    least, usual, most = (limits[f"tail_key_events{end}"] for end in ("_min", "", "_max"))
    if all(type(one) is int for one in (least, usual, most)) and not least <= usual <= most:
        words = _(
            "The recent tail has %(least)s messages at least, %(usual)s usually and %(most)s at most; "
            "these three must rise."
        )
        yield Fault("limits.tail_key_events", words % {"least": least, "usual": usual, "most": most})


def _choices(body: Body) -> Iterator[Fault]:
    for name, allowed in (("layout", LAYOUTS), ("baseline", BASELINES)):
        value = body.get(name, allowed[0])
        if value not in allowed:
            words = _("%(field)s is %(value)s; choose one of %(known)s.")
            known = ", ".join(one or "“”" for one in allowed)
            yield Fault(name, words % {"field": name, "value": shown(value), "known": known})
    for name in SWITCHES:
        value = body.get(name, False)
        if not isinstance(value, bool):
            words = _("%(field)s is %(value)s; give true or false.")
            yield Fault(name, words % {"field": name, "value": shown(value)})


def _texts(body: Body) -> Iterator[Fault]:
    safety = body.get("safety_text", Policy().safety_text)
    if not isinstance(safety, str) or not safety.strip() or len(safety) > TEXT_CHARS or "\0" in safety:
        words = _("safety_text is %(value)s; give a text of 1 to %(most)s characters: it is never dropped.")
        yield Fault("safety_text", words % {"value": shown(safety), "most": f"{TEXT_CHARS:,}"})
    for name in GLOBS:
        globs = body.get(name, [])
        words = _("%(field)s is %(value)s; give at most %(most)s patterns of 1 to %(chars)s characters.")
        values = {"field": name, "value": shown(globs), "most": MOST_GLOBS, "chars": GLOB_CHARS}
        if not isinstance(globs, (list, tuple)) or len(globs) > MOST_GLOBS:
            yield Fault(name, words % values)
            continue
        for one in globs:
            if not isinstance(one, str) or not one.strip() or len(one) > GLOB_CHARS or "\0" in one:
                yield Fault(name, words % (values | {"value": shown(one)}))


def _whole(place: str, value: object, least: int, most: int) -> Fault | None:
    if type(value) is int and least <= value <= most:  # a bool is no number here
        return None
    words = _("%(field)s is %(value)s; give a whole number from %(least)s to %(most)s.")
    return Fault(place, words % {"field": place, "value": shown(value), "least": f"{least:,}", "most": f"{most:,}"})


def _not_an_object(place: str, value: object) -> Fault:
    words = _("%(field)s is %(value)s; give an object with its fields.")
    return Fault(place, words % {"field": place, "value": shown(value)})


def _unknown(name: str, known: Any) -> str:
    words = _("%(field)s is no field of a policy here; known are %(known)s.")
    return words % {"field": shown(name), "known": ", ".join(known)}


def shown(value: object) -> str:
    """A value as a message carries it: quoted where it is text, and never long."""
    if value is None:
        return _("missing")
    text = str(value)
    cut = text if len(text) <= 60 else f"{text[:60]}…"
    return f"“{cut}”" if isinstance(value, str) else cut


_CHECKS: tuple[Check, ...] = (_fields, _ratios, _shares, _numbers, _order, _choices, _texts)
