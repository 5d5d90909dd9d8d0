"""Clients that write while things break, and what each of them saw. A lost answer is `unknown`, never `fail`."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid5

from django.db import DatabaseError, InterfaceError, connection
from psycopg_pool import PoolTimeout

from contextapp.eventlog.errors import EventLogError
from contextapp.eventlog.services import append
from contextapp.eventlog.values import Draft

CLIENTS = 6
GIVE_UP_SECONDS = 60.0
LOST = (DatabaseError, InterfaceError, PoolTimeout)


@dataclass(frozen=True, slots=True)
class Operation:
    """One attempt at one batch. `seqs` and `duplicates` are the answer, if there was one."""

    client: int
    batch: int
    session: UUID
    ids: tuple[UUID, ...]
    started: float
    ended: float
    outcome: str  # ok, fail, unknown
    seqs: tuple[int, ...] = ()
    duplicates: tuple[bool, ...] = ()
    error: str = ""


@dataclass(slots=True)
class History:
    """What all clients saw, in no order; each client's own attempts are in order."""

    operations: list[Operation] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, operation: Operation) -> None:
        with self._lock:
            self.operations.append(operation)

    def count(self, outcome: str) -> int:
        return sum(operation.outcome == outcome for operation in self.operations)

    def retried_duplicates(self) -> int:
        """Batches that were stored although their writer heard nothing."""
        return sum(operation.outcome == "ok" and all(operation.duplicates) for operation in self.operations)


def drafts_of(client: int, batch: int, size: int, filler: str = "") -> list[Draft]:
    """What the client wants to say, the same at every attempt and in every run."""
    return [
        Draft(
            uuid5(UUID(int=client), f"{batch}.{part}"),
            "user.message",
            {"client": client, "batch": batch, "part": part, "of": size, "filler": filler},
        )
        for part in range(size)
    ]


def attempt(history: History, client: int, batch: int, session: UUID, drafts: Sequence[Draft]) -> str:
    """Send once; the outcome is recorded and returned. The connection goes back as at the end of a request."""
    started = time.monotonic()
    ids = tuple(draft.event_id for draft in drafts)
    answer: dict[str, tuple[int, ...] | tuple[bool, ...] | str]
    try:
        found = append(session_id=session, drafts=drafts, actor=f"client {client}")
        outcome = "ok"
        answer = {
            "seqs": tuple(stored.seq for stored in found.results),
            "duplicates": tuple(stored.duplicate for stored in found.results),
        }
    except EventLogError as error:
        outcome, answer = "fail", {"error": repr(error)}
    except LOST as error:
        outcome, answer = "unknown", {"error": f"{type(error).__name__}: {error}"[:200]}
    finally:
        _give_back()
    history.add(Operation(client, batch, session, ids, started, time.monotonic(), outcome, **answer))  # type: ignore[arg-type]
    return outcome


def _give_back() -> None:
    try:
        connection.close()
    except LOST:
        pass  # it was dead


def run_clients(
    sessions: Sequence[UUID], nemesis: Callable[[History], None], *, least: int = 10, filler: int = 0
) -> History:
    """Clients write until the nemesis is done and each has `least` batches through; a batch is sent until it is answered."""
    history = History()
    done = threading.Event()
    broken: list[BaseException] = []

    def write(client: int) -> None:
        chance = random.Random(client)
        session = sessions[client % len(sessions)]
        batch = 0
        try:
            while batch < least or not done.is_set():
                size = chance.randint(1, 4)
                text = chance.randbytes(filler).hex() if filler else ""
                _until_answered(history, client, batch, session, drafts_of(client, batch, size, text))
                batch += 1
        except BaseException as error:  # noqa: BLE001  told to the test below
            broken.append(error)

    threads = [threading.Thread(target=write, args=(number,), name=f"client {number}") for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        nemesis(history)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert broken == []
    return history


def _until_answered(history: History, client: int, batch: int, session: UUID, drafts: Sequence[Draft]) -> None:
    end = time.monotonic() + GIVE_UP_SECONDS
    while attempt(history, client, batch, session, drafts) == "unknown":
        assert time.monotonic() < end, f"client {client} got no answer for {GIVE_UP_SECONDS:.0f} s"
        time.sleep(0.02)


def wait_for(history: History, outcome: str, more: int, seconds: float = 30) -> None:
    """Until that many more attempts ended so."""
    wanted = history.count(outcome) + more
    end = time.monotonic() + seconds
    while history.count(outcome) < wanted:
        assert time.monotonic() < end, f"{history.count(outcome)} of {wanted} {outcome}"
        time.sleep(0.01)
