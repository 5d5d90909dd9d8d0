"""Says what to do where a command meets a database without tables. Makes none: that is for `make up` and `migrate`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

UNDEFINED_TABLE = "42P01"
UNDEFINED_COLUMN = "42703"


@contextmanager
def tables_expected() -> Iterator[None]:
    """A command before the first `make up`, or newer than its database, ends with a sentence instead of a traceback."""
    from django.db import ProgrammingError

    try:
        yield
    except ProgrammingError as error:
        if getattr(error.__cause__, "sqlstate", None) not in (UNDEFINED_TABLE, UNDEFINED_COLUMN) or not _behind():
            raise
        sys.exit("contextapp: the database has not all tables yet. Run `make up` once, or `manage.py migrate`.")


def _behind() -> bool:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    connection.close()  # the failed statement may have left a transaction open
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
