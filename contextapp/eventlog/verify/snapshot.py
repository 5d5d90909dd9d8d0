"""One moment of the log for several statements, so that appends which go on meanwhile are no false alarm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Repeatable read where the transaction is ours; inside a caller's transaction, what that one sees."""
    with transaction.atomic():
        if len(connection.savepoint_ids) == 0:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield
