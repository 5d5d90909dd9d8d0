"""What every provider asks of functions: arguments that are one JSON object, schemas of an object, names that differ.
Repairs lose nothing: what can't stand where it was stands beside it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from contextapp.engine.observations.text import clean
from contextapp.engine.request.names import NAME_CHARS, Unique, is_word
from contextapp.engine.request.neutral import Block

Json = dict[str, Any]  # a provider's JSON
NOT_AT_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")  # of a schema of parameters


@dataclass(frozen=True, slots=True)
class Function:
    """A tool as providers list it."""

    name: str
    description: str
    parameters: Json


def functions(blocks: Iterable[Block]) -> list[Function]:
    """The tools in their order. Of two with the same name the later one is numbered."""
    unique = Unique(NAME_CHARS)
    return [_function(tool, unique) for block in blocks for tool in block.tools]


def _function(tool: Mapping[str, Any], unique: Unique) -> Function:
    given = tool.get("schema")
    schema = dict(given) if isinstance(given, Mapping) else {}
    apart = {key: schema.pop(key) for key in NOT_AT_TOP if key in schema}
    schema["type"] = "object"
    schema.setdefault("properties", {})  # one provider refuses an object that names none
    description = clean(str(tool.get("description", "")))
    if apart:
        rule = json.dumps(apart, sort_keys=True, ensure_ascii=False)
        description = f"{description}\n\nThe input also has to satisfy this JSON schema: {rule}".lstrip()
    return Function(unique.take(str(tool.get("name", ""))), description, schema)


def arguments_object(text: str) -> Json:
    """The arguments as one JSON object. Text that is none stands whole under `arguments`."""
    read = _object(text)
    return {"arguments": text} if read is None else read


def arguments_text(text: str) -> str:
    """The same as JSON text, byte for byte where it was an object."""
    return text if _object(text) is not None else json.dumps({"arguments": text}, ensure_ascii=False)


def is_object_text(arguments: object) -> bool:
    return isinstance(arguments, str) and _object(arguments) is not None


def _object(text: str) -> Json | None:
    try:
        read = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) and encodes(read) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _finite(literal: str) -> float:
    number = float(literal)
    if not math.isfinite(number):
        raise ValueError(f"{literal} is beyond any number")
    return number


def encodes(value: object) -> bool:
    """Whether it is JSON in UTF-8: no lone surrogate, no NaN."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return False
    return True


def problems(listed: Sequence[tuple[str, Any]]) -> list[str]:
    """What providers would refuse of (name, schema) as they are listed."""
    names = [name for name, _ in listed]
    found = [f"tool {name!r} is listed twice" for name in sorted({name for name in names if names.count(name) > 1})]
    found += [f"tool name {name!r} is refused" for name in names if not is_word(name)]
    for name, schema in listed:
        if not isinstance(schema, Mapping) or schema.get("type") != "object":
            found.append(f"tool {name!r}: its schema is not that of an object")
        else:
            found += [f"tool {name!r}: {key} at the top of its schema" for key in NOT_AT_TOP if key in schema]
    return found
