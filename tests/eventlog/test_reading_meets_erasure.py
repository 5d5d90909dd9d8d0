"""An erasure that comes while the session is read for search: what was read a moment before goes with the payload."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from django.db import connection

from contextapp.eventlog.models import Payload, Reading, Session
from contextapp.eventlog.selectors import search_events
from contextapp.eventlog.services import derive_session, deriving, erase_events, erase_session
from tests.databases import CommittedDatabase
from tests.world import build_world

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def some(session: Session) -> None:
    erase_events(session_id=session.id, first_seq=2, last_seq=2, reason="asked", actor="user:alice")


def all_of_it(session: Session) -> None:
    erase_session(session_id=session.id, reason="asked", actor="user:alice")


def in_thread(work: Callable[[], object], failures: list[BaseException]) -> threading.Thread:
    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  told to the test below
            failures.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def erasure_waits() -> bool:
    for _ in range(100):
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone() != (0,):
                return True
        threading.Event().wait(0.05)
    return False


@pytest.mark.parametrize("erase", [some, all_of_it])
def test_nothing_stays_that_was_read_before_the_erasure(
    erase: Callable[[Session], None], committed_db: CommittedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = build_world()
    session = world.open_session()
    world.append(session, ("user.message", {"text": "hello"}))
    derive_session(session_id=session.id)  # its mark is there
    world.append(session, ("user.message", {"text": "needle"}))
    has_read, may_store = threading.Event(), threading.Event()
    store = deriving._store

    def pause(*read: object) -> None:
        has_read.set()
        assert may_store.wait(20)
        store(*read)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(deriving, "_store", pause)
    failures: list[BaseException] = []

    reading = in_thread(lambda: derive_session(session_id=session.id), failures)
    assert has_read.wait(20)
    erasing = in_thread(lambda: erase(session), failures)
    waited = erasure_waits()
    may_store.set()
    reading.join()
    erasing.join()

    assert (failures, waited) == ([], True)
    assert not Payload.objects.filter(session=session, seq=2, body__isnull=False).exists()
    assert not Reading.objects.filter(session=session, seq=2).exists()
    assert search_events([world.project.id], "needle").hits == ()
