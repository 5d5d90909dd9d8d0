"""Attributes by name: text, counts, JSON in strings, and names with numbers in them as the lists they flatten. Never raises on
what another writer sent; the number in a name is no size of anything here."""

from __future__ import annotations

import json
from typing import Any

from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import check_depth, decode_values
from contextapp.importers.fields import MOST

DEPTH_LIMIT = 40


def first(attributes: Json, *names: str) -> Any:
    """The first of the names that says anything."""
    return next((attributes[name] for name in names if attributes.get(name) not in (None, "", [], {})), None)


def text(attributes: Json, *names: str) -> str:
    value = first(attributes, *names)
    return "" if value is None else as_text(value)


def count(attributes: Json, *names: str) -> int | None:
    """A count of tokens; what is none, such as a negative or a broken number, is absent."""
    for name in names:
        value = attributes.get(name)
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 12:
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST:
            return value
    return None


def as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


def read_json(value: Any) -> Any:
    """The value that a string holds as JSON; a string that is none, and any other value, as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        found = decode_values(value)
        check_depth(found, DEPTH_LIMIT)
    except UnfitLine:
        return value
    return found[0] if len(found) == 1 else value


def unflatten(attributes: Json, prefix: str) -> list[Json]:
    """`prefix.0.message.role` and so on as objects in the order of their numbers; gaps close up."""
    numbered: dict[int, Json] = {}
    start = prefix + "."
    for name, value in attributes.items():
        if not name.startswith(start):
            continue
        number, _, rest = name[len(start) :].partition(".")
        if number.isascii() and number.isdecimal() and len(number) <= 6:
            place = numbered.setdefault(int(number), {})
            place[rest] = value
    return [numbered[number] for number in sorted(numbered)]
