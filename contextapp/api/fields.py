"""Types of envelope fields. Strict: a string is a string, an instant has a time zone, nothing is coerced."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

EARLIEST_YEAR, LATEST_YEAR = 1970, 2100


class Strict(BaseModel):
    """Base of every request body: an unknown field is refused, not dropped."""

    model_config = ConfigDict(strict=True, extra="forbid")


def _uuid(given: Any) -> UUID:  # any JSON value
    if not isinstance(given, str):
        raise ValueError(f"{given!r} is not a UUID; give it as a string")
    try:
        return UUID(given)
    except ValueError as error:
        raise ValueError(f"{given[:60]!r} is not a UUID") from error


def _instant(given: Any) -> datetime:  # any JSON value
    if not isinstance(given, str):
        raise ValueError(f"{given!r} is not an instant; give it as an ISO 8601 string")
    try:
        made = datetime.fromisoformat(given)
    except ValueError as error:
        raise ValueError(f"{given[:60]!r} is not an ISO 8601 instant") from error
    if made.tzinfo is None:
        raise ValueError(f"{given!r} has no time zone; append Z or an offset")
    if not EARLIEST_YEAR <= made.year <= LATEST_YEAR:
        raise ValueError(f"{given!r} lies outside {EARLIEST_YEAR}-{LATEST_YEAR}")
    return made


def _plain(given: str) -> str:
    if "\x00" in given or any("\ud800" <= char <= "\udfff" for char in given):
        raise ValueError("holds a NUL or a lone surrogate; only payloads may")
    return given


def _object(given: Any) -> Any:  # any JSON value
    if not isinstance(given, dict):
        raise ValueError("is not an object")
    return given


Uuid = Annotated[UUID, BeforeValidator(_uuid), WithJsonSchema({"type": "string", "format": "uuid"})]
Instant = Annotated[datetime, BeforeValidator(_instant), WithJsonSchema({"type": "string", "format": "date-time"})]
Text = Annotated[str, AfterValidator(_plain)]
# Kept whole, whatever is in it: pydantic would refuse what only the log can keep.
FreeObject = Annotated[Any, BeforeValidator(_object), WithJsonSchema({"type": "object", "additionalProperties": True})]
EventType = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$", max_length=100)]
