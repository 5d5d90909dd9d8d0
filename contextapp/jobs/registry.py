"""Which function does which kind of job. Filled by each app when it starts; an unknown kind is an error of its job."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextapp.jobs.handle import JobHandle

Handler = Callable[["JobHandle"], None]

_handlers: dict[str, Handler] = {}


class UnknownKind(LookupError):
    """No app has registered a handler for that kind of job."""


def register(kind: str, handler: Handler) -> None:
    """One handler per kind. Registering the same one again is harmless: start-up code may run twice."""
    known = _handlers.setdefault(kind, handler)
    if known is not handler:
        raise ValueError(f"job kind {kind!r} already has a handler")


def handler_for(kind: str) -> Handler:
    try:
        return _handlers[kind]
    except KeyError as error:
        known = ", ".join(sorted(_handlers)) or "none"
        raise UnknownKind(f"no handler for jobs of kind {kind!r}; registered are {known}") from error
