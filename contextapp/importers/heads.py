"""The JSON at the start of a file, for telling formats apart: whole lines, a whole document, or the beginning of a large one.
Reads only the bytes it is given and never refuses any."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from contextapp.importers.contract import UnfitLine
from contextapp.importers.decoding import decode_text, decode_values
from contextapp.importers.lines import BOM

_LOOK_AT_LINES = 40
_SPACE = " \t\r\n"
_DEEPEST = 12


@lru_cache(maxsize=2)  # one format after the other looks at the same head
def begun_values(head: bytes) -> tuple[Any, ...]:
    """The values of the lines that are whole in the head; of a document cut by its end, the members that are whole."""
    body = head.removeprefix(BOM)
    values: list[Any] = []
    for line in body.split(b"\n")[:_LOOK_AT_LINES]:
        try:
            values += [value for value in decode_values(decode_text(line)) if isinstance(value, dict | list)]
        except UnfitLine:
            continue
    if any(values) and not body.lstrip().startswith((b"[\n", b"{\n", b"[\r", b"{\r")):
        return tuple(values)
    text = body.decode("utf-8", errors="ignore")
    value, _ = _begun(text, _after_space(text, 0), _DEEPEST)
    return (value,) if isinstance(value, dict | list) and value else tuple(values)


def _begun(text: str, place: int, depth: int) -> tuple[Any, int]:
    """The value at this place and where it ends; -1 when the text ends inside it or goes on as no JSON."""
    try:
        return json.JSONDecoder().raw_decode(text, place)
    except (ValueError, RecursionError):
        pass
    opening = text[place : place + 1]
    if depth and opening == "[":
        return _begun_array(text, place, depth), -1
    if depth and opening == "{":
        return _begun_object(text, place, depth), -1
    return ("" if opening == '"' else None), -1


def _begun_array(text: str, place: int, depth: int) -> list[Any]:
    found: list[Any] = []
    while place >= 0:
        place = _after_space(text, place + 1)
        if text[place : place + 1] in ("", "]"):
            break
        value, end = _begun(text, place, depth - 1)
        found.append(value)
        place = _after_space(text, end) if end >= 0 else -1
        if text[place : place + 1] != ",":
            break
    return found


def _begun_object(text: str, place: int, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while place >= 0:
        place = _after_space(text, place + 1)
        name, end = _begun(text, place, 0)
        colon = _after_space(text, end) if end >= 0 else -1
        if not isinstance(name, str) or colon < 0 or text[colon : colon + 1] != ":":
            break
        value, end = _begun(text, _after_space(text, colon + 1), depth - 1)
        found[name] = value
        place = _after_space(text, end) if end >= 0 else -1
        if text[place : place + 1] != ",":
            break
    return found


def _after_space(text: str, place: int) -> int:
    while place < len(text) and text[place] in _SPACE:
        place += 1
    return place
