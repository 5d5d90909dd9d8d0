"""What the database is short of, told apart: full, busy, or away. Knows causes by their SQLSTATE, never by a server's words,
except where a connection was refused: there is no state then.
"""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg_pool import PoolTimeout, TooManyRequests

from contextapp.eventlog.connecting import last_failure

_FULL = ("53100",)
_BUSY = ("53300", "55P03", "40P01", "40001")  # too many connections, a lock in use, and what was tried again in vain
_NO_PLACE = ("too many clients", "too many connections", "remaining connection slots")


@dataclass(frozen=True, slots=True)
class Shortage:
    code: str
    detail: str
    retry_after_seconds: int


FULL = Shortage(
    "storage_full",
    "the database's disk is full; what was acknowledged is safe, reads go on. Send it again once the operator made room",
    30,
)
BUSY = Shortage("busy", "the server has more to do than it can; send it again, your ids make that harmless", 1)
AWAY = Shortage(
    "storage_unavailable", "the database did not answer in time; send it again, your ids make that harmless", 2
)


def shortage_of(error: BaseException) -> Shortage:
    """Of an error of the database or of its pool."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, TooManyRequests):
            return BUSY
        if isinstance(found, PoolTimeout):
            said = last_failure()
            return BUSY if said is None or _is_crowded(said) else AWAY
        if isinstance(found, psycopg.Error):
            if found.sqlstate in _FULL:
                return FULL
            if found.sqlstate in _BUSY or (found.sqlstate is None and _is_crowded(str(found))):
                return BUSY
        found = found.__cause__
    return AWAY


def _is_crowded(said: str) -> bool:
    return any(words in said for words in _NO_PLACE)
