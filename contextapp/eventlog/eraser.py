"""Erases as the database role that may erase, where the installation has one (ERASER_DATABASE_URL); else changes nothing.

Everything in the block is one connection's work, so that an erasure stays one transaction. Never opens one itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections

ALIAS = "eraser"


@contextmanager
def as_eraser() -> Iterator[None]:
    """For the outermost function of an erasure, before it begins its transaction; inside another block it does nothing."""
    usual = connections["default"]
    if ALIAS not in connections.settings or usual.alias == ALIAS:
        yield
        return
    if usual.in_atomic_block:
        raise RuntimeError("an erasure must begin before the transaction that it is part of: enter as_eraser() first")
    usual.close()  # back to the pool; this thread needs one connection, not two
    connections["default"] = connections[ALIAS]
    try:
        yield
    finally:
        connections[ALIAS].close()
        connections["default"] = usual
