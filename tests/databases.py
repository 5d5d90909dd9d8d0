"""Databases for tests that commit: cloned from a template, dropped after. Works on any server that may CREATE DATABASE."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from django.conf import settings
from django.db import connections
from django.db.backends.base.creation import TEST_DATABASE_PREFIX
from psycopg import sql

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class CommittedDatabase:
    """`environment` lets another process (a command, a worker, a server) use the same database."""

    name: str
    url: str

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "DATABASE_URL": self.url, "DATA_DIR": str(settings.DATA_DIR)}


@contextmanager
def template() -> Iterator[str]:
    """A copy of the test database, which pytest-django makes only when a test of the run takes `db`; else it is made here."""
    creation = connections["default"].creation
    before = _leave()
    made_here = not before.startswith(TEST_DATABASE_PREFIX)
    if made_here:
        creation.create_test_db(verbosity=0, autoclobber=True)
    name = _copy_as_template()
    try:
        yield name
    finally:
        drop(name)
        if made_here:
            _leave()
            creation.destroy_test_db(before, verbosity=0)


def _copy_as_template() -> str:
    source = _leave()
    name = f"{source}_template"
    with _maintenance() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
            [source],
        )
        _drop(connection, name)
        _clone(connection, source, name)
    return name


@contextmanager
def cloned(source: str) -> Iterator[CommittedDatabase]:
    """Point Django's default connection to a clone for the block; every thread that connects in it sees the clone."""
    before = _leave()
    name = f"{source}_{os.getpid()}_{next(_numbers)}"
    with _maintenance() as connection:
        _clone(connection, source, name)
    settings.DATABASES["default"]["NAME"] = connections["default"].settings_dict["NAME"] = name
    try:
        yield CommittedDatabase(name, _url(name))
    finally:
        _leave()
        settings.DATABASES["default"]["NAME"] = connections["default"].settings_dict["NAME"] = before
        drop(name)


def drop(name: str) -> None:
    with _maintenance() as connection:
        _drop(connection, name)


def _leave() -> str:
    """Close what this process has open, pool included; the name of the database that it was on."""
    connection = connections["default"]
    connection.close()
    connection.close_pool()
    return str(connection.settings_dict["NAME"])


def _maintenance() -> psycopg.Connection:
    return psycopg.connect(_url("postgres"), autocommit=True)


def _clone(connection: psycopg.Connection, source: str, name: str) -> None:
    connection.execute(
        sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY WAL_LOG").format(sql.Identifier(name), sql.Identifier(source))
    )


def _drop(connection: psycopg.Connection, name: str) -> None:
    connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _url(name: str) -> str:
    start, _, rest = settings.DATABASE_URL.partition("://")
    place, _, tail = rest.partition("/")
    _, mark, query = tail.partition("?")
    return f"{start}://{place}/{name}{mark}{query}"
