"""Deadlocks: the database ends one of two transactions, and the product runs that one again by itself, whole and bounded."""

from __future__ import annotations

import threading
import time
from uuid import UUID

import psycopg
import pytest
from django.db import OperationalError, connection, transaction

from contextapp.eventlog.services import append
from contextapp.eventlog.services.retrying import TRIES, in_full
from tests import clusters
from tests.faults.history import drafts_of
from tests.faults.stored import is_clean, rows_of
from tests.world import World


@pytest.mark.fault("F11")
def test_of_two_transactions_in_a_deadlock_one_is_tried_again(crash_world: World) -> None:
    first, second = (crash_world.open_session().id for _ in range(2))
    start, victims, tries = threading.Barrier(2), [], []

    def write(writer: int, order: tuple[UUID, UUID]) -> None:
        def both() -> None:
            tries.append(writer)
            try:
                with transaction.atomic():
                    append(session_id=order[0], drafts=drafts_of(writer, 0, 2), actor="test")
                    if tries.count(writer) == 1:
                        start.wait()
                    append(session_id=order[1], drafts=drafts_of(writer, 1, 2), actor="test")
            except OperationalError as error:
                victims.append(getattr(error.__cause__, "sqlstate", ""))
                raise

        in_full(both)
        connection.close()

    writers = [
        threading.Thread(target=write, args=(1, (first, second))),
        threading.Thread(target=write, args=(2, (second, first))),
    ]
    for each in writers:
        each.start()
    for each in writers:
        each.join()

    assert victims == ["40P01"]
    assert len(tries) == 3
    assert [len(rows_of([session])) for session in (first, second)] == [4, 4]
    assert is_clean(first)
    assert is_clean(second)


class Opponent:
    """Holds what an append needs late, then asks for what it took early. It has more patience than the append."""

    def __init__(self, url: str, session: UUID, rounds: int) -> None:
        self._url, self._session, self._rounds = url, session, rounds
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> None:
        self._thread.start()
        assert self._ready.wait(10)

    def __exit__(self, *_raised: object) -> None:
        self._thread.join()

    def _run(self) -> None:
        with psycopg.connect(self._url) as other, psycopg.connect(self._url, autocommit=True) as observer:
            other.execute("SET deadlock_timeout = '30s'")
            other.commit()
            for _ in range(self._rounds):
                other.execute("LOCK TABLE eventlog_payload IN SHARE MODE")
                self._ready.set()
                self._until_somebody_waits(observer)
                other.execute("SELECT 1 FROM eventlog_head WHERE session_id = %s FOR UPDATE", [self._session])
                other.rollback()

    def _until_somebody_waits(self, observer: psycopg.Connection) -> None:
        end = time.monotonic() + 10
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'eventlog_payload'::regclass"
        while not observer.execute(waiting).fetchall():
            assert time.monotonic() < end, "no append came to wait"
            time.sleep(0.005)


@pytest.mark.fault("F11")
def test_an_append_that_loses_a_deadlock_stores_its_batch_once(database_url: str, crash_world: World) -> None:
    session = crash_world.open_session().id

    with clusters.connected_to(database_url, options="-c deadlock_timeout=500ms"):
        with Opponent(database_url, session, rounds=TRIES - 1):
            stored = append(session_id=session, drafts=drafts_of(1, 0, 3), actor="test", expected_seq=0)
        again = append(session_id=session, drafts=drafts_of(1, 0, 3), actor="test")

    assert [(one.seq, one.duplicate) for one in stored.results] == [(1, False), (2, False), (3, False)]
    assert all(one.duplicate for one in again.results)
    assert len(rows_of([session])) == 3
    assert is_clean(session)


@pytest.mark.fault("F11")
def test_an_append_that_always_loses_gives_up_and_leaves_nothing(database_url: str, crash_world: World) -> None:
    session = crash_world.open_session().id

    with clusters.connected_to(database_url, options="-c deadlock_timeout=500ms"):
        lost = pytest.raises(OperationalError, match="deadlock")
        with Opponent(database_url, session, rounds=TRIES), lost:
            append(session_id=session, drafts=drafts_of(1, 0, 3), actor="test")

    assert rows_of([session]) == []


@pytest.mark.fault("F11")
def test_inside_a_transaction_of_its_caller_an_append_is_not_tried_again(database_url: str, crash_world: World) -> None:
    session = crash_world.open_session().id

    with clusters.connected_to(database_url, options="-c deadlock_timeout=500ms"):
        lost = pytest.raises(OperationalError, match="deadlock")
        with Opponent(database_url, session, rounds=1), lost, transaction.atomic():
            append(session_id=session, drafts=drafts_of(1, 0, 1), actor="test")

    assert rows_of([session]) == []
