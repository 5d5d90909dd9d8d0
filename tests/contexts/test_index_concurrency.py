from __future__ import annotations

import threading

from django.db import connection

from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.services import index_session
from tests.contexts.stories import a_step, open_recorded, says
from tests.databases import CommittedDatabase
from tests.world import build_world


def test_two_runs_at_once_have_one_effect(committed_db: CommittedDatabase) -> None:
    world = build_world()
    session = open_recorded(world)
    world.append(session, says("Count."), *(told for number in range(1, 300) for told in a_step(number, words=1)))
    start = threading.Barrier(2)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            start.wait()
            index_session(session_id=session.id)
        except BaseException as error:  # noqa: BLE001  told to the test below
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    session.refresh_from_db()
    assert failures == []
    assert (session.step_count, session.indexed_seq) == (299, 1 + 299 * 4)
    assert Step.objects.filter(session=session).count() == 299
    assert Ledger.objects.filter(session=session, origin="observed").count() == 299
