"""What is derived from the log: it is made again from nothing, never skips an event, and leaves no trace of an erased one."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from contextapp.contexts.errors import CannotBuild, HeadMoved
from contextapp.contexts.models import LedgerBody
from contextapp.contexts.services import build_step, index_session, purge_session
from contextapp.eventlog import selectors
from contextapp.eventlog.errors import SessionErased
from contextapp.eventlog.models import Session
from contextapp.eventlog.services import append, erase_session
from tests import clusters
from tests.contexts.stories import open_recorded, two_turns
from tests.faults.stored import is_clean
from tests.faults.test_failpoints import state_of
from tests.faults.test_jobs_twice import at_once
from tests.world import World, draft

CANARY = "canary-5d1e8b"
COUNTERS = ("indexed_seq", "event_count", "turn_count", "step_count", "compaction_count", "denial_count", "error_count")


@pytest.mark.fault("F69")
def test_lost_projections_are_rebuilt_byte_for_byte(crash_world: World) -> None:
    session = open_recorded(crash_world)
    crash_world.append(session, *two_turns())
    index_session(session_id=session.id)
    before = state_of(session.id), bodies(session)

    purge_session(session.id)
    Session.objects.filter(id=session.id).update(**dict.fromkeys(COUNTERS, 0))
    lost = bodies(session)
    index_session(session_id=session.id)

    assert lost == []
    assert len(before[1]) > 0
    after = state_of(session.id)
    assert {name: after[name] for name in after if after[name] != before[0][name]} == {}
    assert bodies(session) == before[1]


def bodies(session: Session) -> list[bytes]:
    found = LedgerBody.objects.filter(ledger__session=session).order_by("ledger__step__number", "ledger__origin")
    return [bytes(rows) for rows in found.values_list("rows", flat=True)]


@pytest.mark.fault("F70")
def test_a_reader_beside_an_open_append_skips_nothing(crash_world: World) -> None:
    session = crash_world.open_session().id
    seen: list[int] = []
    second = threading.Thread(target=one_more, args=(session,))

    def read() -> None:
        seen.extend(event.seq for event in selectors.get_events(session, after_seq=seen[-1] if seen else 0))

    with transaction.atomic():
        append(session_id=session, drafts=[draft("user.message", {"n": 1})], actor="first")
        second.start()  # waits for the head
        second.join(0.3)
        waited = second.is_alive()
        other = threading.Thread(target=elsewhere, args=(read,))
        other.start()
        other.join()
        assert seen == []
    second.join()
    read()
    read()

    assert waited
    assert seen == [1, 2]


def one_more(session: UUID) -> None:
    append(session_id=session, drafts=[draft("user.message", {"n": 2})], actor="second")
    connection.close()


def elsewhere(function: Callable[[], None]) -> None:
    function()
    connection.close()


@pytest.mark.fault("F62")
def test_an_erasure_beside_a_build_an_index_and_an_append_leaves_no_trace(
    fault_cluster: clusters.TestCluster, database_url: str, crash_world: World
) -> None:
    sessions = []
    for _ in range(8):
        session = crash_world.open_session(model="gpt-4o", title=f"{CANARY} title")
        crash_world.append(session, ("user.message", {"text": f"{CANARY} says"}), ("user.message", {"text": "go on"}))
        sessions.append(session.id)
    assert CANARY.encode() in dump(fault_cluster, database_url)
    refused: list[str] = []

    for session_id in sessions:
        raised = at_once(
            lambda session_id=session_id: erase_session(session_id=session_id, reason="asked to", actor="test"),  # type: ignore[misc]
            lambda session_id=session_id: build_step(session_id=session_id, build_id=uuid4(), actor="test"),  # type: ignore[misc]
            lambda session_id=session_id: index_session(session_id=session_id),  # type: ignore[misc]
            lambda session_id=session_id: append(  # type: ignore[misc]
                session_id=session_id, drafts=[draft("user.message", {"text": f"{CANARY} more"})], actor="test"
            ),
        )
        refused += [type(error).__name__ for error in raised]

    assert set(refused) <= {SessionErased.__name__, CannotBuild.__name__, HeadMoved.__name__}
    assert CANARY.encode() not in dump(fault_cluster, database_url)
    for session_id in sessions:
        left = state_of(session_id)
        assert is_clean(session_id)
        assert (left["ledgers"], left["blocks"], left["turns"]) == (0, 0, [])  # compressed: no canary would be seen


def dump(cluster: clusters.TestCluster, url: str) -> bytes:
    """The whole database as text; bytea is shown in hexadecimal and read back as what it says."""
    command = [str(cluster.bin / "pg_dump"), "--inserts", url]
    text = subprocess.run(command, capture_output=True, check=True).stdout
    return text.replace(CANARY.encode().hex().encode(), CANARY.encode())
