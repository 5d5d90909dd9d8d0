"""Breaks the connection at the n-th statement of this thread, for n = 1, 2, 3 ... until an action passes untouched.

It stands in the driver, below Django and below the log's own cursor, so that no statement is missed; a commit is one too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, InterfaceError, connection

BROKEN = (DatabaseError, InterfaceError, psycopg.Error)


class Failpoint:
    """Counts statements; the n-th loses its connection before it is sent, and so does whatever comes after on it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.passed = 0
        self.statement = ""
        self._thread = threading.get_ident()

    @property
    def was_hit(self) -> bool:
        return bool(self.statement)

    def at(self, connection: psycopg.Connection, statement: object) -> None:
        if threading.get_ident() != self._thread:
            return
        self.passed += 1
        if self.passed == self.number:
            self.statement = str(statement)[:120]
            connection.close()
            raise psycopg.OperationalError(f"failpoint {self.number}: {self.statement}")


@contextmanager
def failing_at(number: int) -> Iterator[Failpoint]:
    point = Failpoint(number)
    execute, commit = psycopg.Cursor.execute, psycopg.Connection.commit

    def guarded_execute(self: psycopg.Cursor, query: Any, *args: Any, **kwargs: Any) -> Any:  # as the driver takes them
        point.at(self.connection, query)
        return execute(self, query, *args, **kwargs)

    def guarded_commit(self: psycopg.Connection) -> None:
        point.at(self, "COMMIT")
        commit(self)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(psycopg.Cursor, "execute", guarded_execute)
        patched.setattr(psycopg.Connection, "commit", guarded_commit)
        yield point


def at_every_statement[T](
    prepare: Callable[[], T], action: Callable[[T], object], check: Callable[[T, str], None]
) -> int:
    """`action` on something new with its n-th statement broken, then `check` over a new connection; how many there were."""
    number = 0
    while True:
        number += 1
        made = prepare()
        connection.ensure_connection()  # what opening one takes is not part of the action
        with failing_at(number) as point:
            try:
                action(made)
            except BROKEN:
                assert point.was_hit, "it failed by itself"
        if not point.was_hit:
            return number - 1
        connection.close()
        check(made, point.statement)
