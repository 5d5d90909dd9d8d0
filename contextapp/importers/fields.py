"""Typed reading of another tool's records: a field of the wrong type stops its line and is named."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import kind_of

MOST = 2_000_000_000  # tokens or milliseconds; what is larger is no count of either


def _wrong(path: str, expected: str, value: Any) -> UnfitLine:
    return UnfitLine("wrong_type", field=path, detail=f"expected {expected}, found {kind_of(value)}")


def string(record: Json, name: str, *, path: str = "") -> str:
    """The string, or "" when the field is absent or null."""
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong(path or name, "a string", value)
    return value


def required_string(record: Json, name: str, *, path: str = "") -> str:
    if record.get(name) is None:
        raise UnfitLine("missing_field", field=path or name, detail="expected a string")
    return string(record, name, path=path)


def flag(record: Json, name: str) -> bool:
    value = record.get(name)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise _wrong(name, "a boolean", value)
    return value


def count(record: Json, name: str, *, path: str = "") -> int | None:
    """A whole number of at least zero, or None when absent."""
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise _wrong(path or name, "a whole number", value)
    if not 0 <= value <= MOST:
        raise UnfitLine(
            "wrong_value", field=path or name, detail=f"expected a count up to {MOST:,}, found {str(value)[:40]}"
        )
    return int(value)


def mapping(record: Json, name: str, *, path: str = "") -> Json | None:
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _wrong(path or name, "an object", value)
    return value


def required_mapping(record: Json, name: str, *, path: str = "") -> Json:
    value = mapping(record, name, path=path)
    if value is None:
        raise UnfitLine("missing_field", field=path or name, detail="expected an object")
    return value


def items(record: Json, name: str, *, path: str = "") -> list[Any]:
    value = record.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _wrong(path or name, "an array", value)
    return value


def as_mapping(value: Any, path: str) -> Json:
    if not isinstance(value, dict):
        raise _wrong(path, "an object", value)
    return value


def moment(record: Json, name: str) -> datetime | None:
    """A claimed time. One without a zone is read as UTC; it sorts nothing."""
    text = string(record, name)
    if not text:
        return None
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError as error:
        raise UnfitLine("wrong_value", field=name, detail=f"not a time: {text[:60]!r}") from error
    if not 1970 <= parsed.year <= 2100:
        raise UnfitLine("wrong_value", field=name, detail=f"year {parsed.year} is not between 1970 and 2100")
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
