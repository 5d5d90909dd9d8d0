"""Connections that remember how the last attempt to open one ended. The pool tries in the background and tells its callers
only that none came in time; whether the server refuses or all are in use is known here alone.
"""

from __future__ import annotations

import threading
from typing import Any, Self

import psycopg

_lock = threading.Lock()
_last_failure: str | None = None


def last_failure() -> str | None:
    """What the server or the network said to the last attempt of this process; None when it succeeded."""
    with _lock:
        return _last_failure


def _note(failure: str | None) -> None:
    global _last_failure
    with _lock:
        _last_failure = failure


class NotedConnection(psycopg.Connection[Any]):  # Any: rows of any shape
    """As psycopg opens it."""

    @classmethod
    def connect(cls, conninfo: str = "", **given: Any) -> Self:  # type: ignore[override]  # handed on as psycopg takes it
        try:
            made = super().connect(conninfo, **given)
        except psycopg.Error as error:
            _note(str(error))
            raise
        _note(None)
        return made
