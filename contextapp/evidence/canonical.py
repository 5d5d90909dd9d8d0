"""Canonical bytes of a JSON value: sorted keys, ASCII escapes, number literals as received. Never loses what it accepted.

`decode` is for the doors and refuses what JSON libraries let pass; `read` is for bytes that `encode` made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.encoder import encode_basestring_ascii
from math import isfinite
from typing import Any, NoReturn

DEPTH_LIMIT = 64
_DIGITS_LIMIT = 4000  # Python refuses to convert longer integers


class NotCanonical(ValueError):
    """A value or text that has no canonical bytes. `path` is a JSON pointer to the offending place."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{path or 'value'}: {reason}")
        self.reason = reason
        self.path = path


class Literal(float):
    """A number whose text as received differs from what Python would write, such as `1E2` or `-0`."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Literal:
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __reduce__(self) -> tuple[type[Literal], tuple[str]]:
        return (Literal, (self.text,))


class _Refused(Exception):
    """Raised inside the parser, which knows no path; the path is found by parsing once more."""


class _Marked:
    """Stands for a refused value while its path is looked for."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def encode(value: Any) -> bytes:  # Any: a JSON value of open shape
    """The one byte form of a JSON value. NotCanonical names the path of anything that has none."""
    try:
        if _is_plain(value):
            return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")
    except (ValueError, RecursionError):  # an infinite number, or too deep for the fast writer: told below
        pass
    parts: list[str] = []
    try:
        _write(value, parts, "")
    except RecursionError as error:
        raise NotCanonical("nested too deeply") from error
    return "".join(parts).encode("ascii")


def decode(raw: bytes, *, depth_limit: int = DEPTH_LIMIT) -> Any:  # Any: a JSON value of open shape
    """The value of JSON text from outside; `encode` of it keeps each number as it was written."""
    text = _text(raw)
    try:
        value = _parse(
            text,
            depth_limit,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_float,
            parse_int=_int,
        )
    except _Refused:
        _raise_with_path(text, depth_limit)
    if text.count("{") + text.count("[") > depth_limit:
        _check_depth(value, depth_limit)
    return value


def read(raw: bytes) -> Any:  # Any: a JSON value of open shape
    """The value of bytes that `encode` made; number literals are kept."""
    return (_ALL_NUMBERS if b"-0" in raw else _FLOATS).decode(raw.decode("ascii"))


def strings(value: Any) -> Iterator[str]:  # Any: a JSON value of open shape
    """Every string in it, in order; the names of fields are left out: nobody searches for them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def pointer(path: str, step: str | int) -> str:
    """The JSON pointer one step further."""
    return f"{path}/{str(step).replace('~', '~0').replace('/', '~1')}"


def _is_plain(value: object) -> bool:
    """Whether the fast writer would write it as we do: no kept literals, no keys but strings, no foreign types."""
    pending = [value]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is dict:
            for key, inner in node.items():  # type: ignore[attr-defined]  # its type is dict
                if type(key) is not str:
                    return False
                if type(inner) is not str:
                    pending.append(inner)
        elif kind is list or kind is tuple:
            pending.extend(node)  # type: ignore[arg-type]  # its type is list or tuple
        elif not (kind is str or kind is int or kind is bool or node is None or kind is float):
            return False
    return True


def _write(value: object, parts: list[str], path: str) -> None:
    if isinstance(value, str):
        parts.append(encode_basestring_ascii(value))
    elif value is None:
        parts.append("null")
    elif isinstance(value, bool):
        parts.append("true" if value else "false")
    elif isinstance(value, int):
        parts.append(_int_text(value, path))
    elif isinstance(value, Literal):
        parts.append(value.text)
    elif isinstance(value, float):
        if not isfinite(value):
            raise NotCanonical(f"{value!r} is not a JSON number", path)
        parts.append(float.__repr__(value))
    elif isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise NotCanonical(f"key {key!r} is not a string", path)
        parts.append("{")
        for place, key in enumerate(sorted(value)):
            parts.append(("," if place else "") + encode_basestring_ascii(key) + ":")
            _write(value[key], parts, pointer(path, key))
        parts.append("}")
    elif isinstance(value, (list, tuple)):
        parts.append("[")
        for place, inner in enumerate(value):
            if place:
                parts.append(",")
            _write(inner, parts, pointer(path, place))
        parts.append("]")
    else:
        raise NotCanonical(f"{type(value).__name__} is not a JSON type", path)


def _int_text(value: int, path: str) -> str:
    try:
        return int.__repr__(value)
    except ValueError as error:
        raise NotCanonical("integer of more digits than can be kept", path) from error


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotCanonical(f"not UTF-8 at byte {error.start}") from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Refused
    return made


def _refuse_constant(text: str) -> NoReturn:
    raise _Refused


def _float(text: str) -> float:
    value = float(text)
    if repr(value) == text:
        return value
    if not isfinite(value):
        raise _Refused
    return Literal(text)


def _int(text: str) -> int | float:
    if len(text) > _DIGITS_LIMIT:
        raise _Refused
    return Literal(text) if text == "-0" else int(text)


def _parse(
    text: str, depth_limit: int, **hooks: Any
) -> Any:  # Any: a JSON value of open shape; hooks as json.loads takes them
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError as error:
        raise NotCanonical(f"not JSON: {error.msg} at character {error.pos}") from error
    except RecursionError as error:
        raise NotCanonical(f"nested deeper than {depth_limit}") from error


def _raise_with_path(text: str, depth_limit: int) -> NoReturn:
    """Parse again with marks in place of what was refused, and name the first one. What follows it may be no JSON at all."""
    marked = _parse(
        text,
        depth_limit,
        object_pairs_hook=_mark_duplicates,
        parse_constant=lambda name: _Marked(f"{name} is not a JSON number"),
        parse_float=lambda number: number if isfinite(float(number)) else _Marked(f"{number[:40]} is out of range"),
        parse_int=lambda digits: 0 if len(digits) <= _DIGITS_LIMIT else _Marked(f"{len(digits)} digits are too many"),
    )
    pending: list[tuple[str, object]] = [("", marked)]
    while pending:
        path, node = pending.pop()
        if isinstance(node, _Marked):
            raise NotCanonical(node.reason, path)
        if isinstance(node, dict):
            pending.extend((pointer(path, key), inner) for key, inner in reversed(node.items()))
        elif isinstance(node, list):
            pending.extend((pointer(path, place), node[place]) for place in reversed(range(len(node))))
    raise NotCanonical("refused")


def _mark_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for key, value in pairs:
        made[key] = _Marked("key appears twice") if key in made else value
    return made


def _check_depth(value: object, limit: int) -> None:
    level: list[tuple[str, object]] = [("", value)]
    depth = 0
    while level:
        below: list[tuple[str, object]] = []
        for path, node in level:
            if isinstance(node, dict):
                below.extend((pointer(path, key), inner) for key, inner in node.items())
            elif isinstance(node, list):
                below.extend((pointer(path, place), inner) for place, inner in enumerate(node))
        containers = [entry for entry in level if isinstance(entry[1], (dict, list))]
        if containers:
            depth += 1
        if depth > limit:
            raise NotCanonical(f"nested deeper than {limit}", containers[0][0])
        level = below


# Made once: `json.loads` with hooks makes a decoder for every call.
_FLOATS = json.JSONDecoder(parse_float=_float)
_ALL_NUMBERS = json.JSONDecoder(parse_float=_float, parse_int=_int)
