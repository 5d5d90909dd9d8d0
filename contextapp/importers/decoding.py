"""Bytes of a line to JSON values, strictly: what JSON does not allow is named with its place, never guessed away."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.lines import RawLine

_SPACE = " \t\r\n"


def _refuse_constant(name: str) -> Any:
    raise UnfitLine("not_a_number", detail=f"{name} is not JSON")


def _finite(literal: str) -> float:
    value = float(literal)
    if math.isinf(value):
        raise UnfitLine("number_out_of_range", detail=f"{literal[:40]} is larger than a double holds")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise UnfitLine("duplicate_key", field=double[:200], detail="the object names this key twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique)


def decode_objects(line: RawLine, *, limit_bytes: int, depth_limit: int) -> tuple[Json, ...]:
    """The objects of one line; several when two writers raced for the newline. All of them are sound, or none is given."""
    values = decode_line_values(line, limit_bytes=limit_bytes)
    for value in values:
        if not isinstance(value, dict):
            raise UnfitLine("not_an_object", detail=f"expected an object, found {kind_of(value)}")
        check_depth(value, depth_limit)
    return tuple(values)


def decode_line_values(line: RawLine, *, limit_bytes: int) -> list[Any]:
    """The JSON values of one line, of any kind. A last line that breaks off is told from a broken one."""
    if line.is_overlong or line.size_bytes > limit_bytes:
        raise UnfitLine("line_too_long", detail=f"{line.size_bytes:,} bytes; the limit is {limit_bytes:,}")
    try:
        return decode_values(decode_text(line.body))
    except UnfitLine as unfit:
        if not line.ended and unfit.reason in {"bad_json", "invalid_utf8"}:
            raise UnfitLine("partial_line", detail=f"the file ends inside this line: {unfit.detail}") from unfit
        raise


def decode_text(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        detail = f"byte 0x{body[error.start]:02x} at offset {error.start} is not UTF-8"
        raise UnfitLine("invalid_utf8", detail=detail) from error


def decode_values(text: str) -> list[Any]:
    values, place = [], _after_space(text, 0)
    while place < len(text):
        try:
            value, place = _DECODER.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise _bad_json(text, error) from error
        except RecursionError as error:
            raise UnfitLine("too_deep", detail="brackets are nested too deep to read") from error
        except ValueError as error:  # an integer of more digits than Python converts
            raise UnfitLine("number_out_of_range", detail=str(error)[:200]) from error
        values.append(value)
        place = _after_space(text, place)
    return values


def _bad_json(text: str, error: json.JSONDecodeError) -> UnfitLine:
    if "\0" in text:
        return UnfitLine("nul_bytes", detail=f"a NUL byte at character {text.index(chr(0))}")
    return UnfitLine("bad_json", detail=f"{error.msg.removesuffix(' at')} at character {error.pos}")


def _after_space(text: str, place: int) -> int:
    while place < len(text) and text[place] in _SPACE:
        place += 1
    return place


def check_depth(value: Any, limit: int) -> None:
    level: list[Any] = [value]
    for _ in range(limit):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return
    raise UnfitLine("too_deep", detail=f"nested deeper than {limit} levels")


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [inner for inner in value.values() if isinstance(inner, dict | list)]
    if isinstance(value, list):
        return [inner for inner in value if isinstance(inner, dict | list)]
    return ()


def kind_of(value: Any) -> str:
    """What a JSON value is, in words for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    for kind, words in ((str, "a string"), (int | float, "a number"), (list, "an array"), (dict, "an object")):
        if isinstance(value, kind):
            return words
    return type(value).__name__
