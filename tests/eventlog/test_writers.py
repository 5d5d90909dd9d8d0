"""Many writers of one session, and a role that may only append: the order has no gap, the log no other door."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg
import pytest
from django.db import connection, transaction

from contextapp.eventlog import selectors
from contextapp.eventlog.services import append, verify_session
from tests.world import World, build_world, draft

if TYPE_CHECKING:
    from tests.databases import CommittedDatabase

WRITERS = 6


def test_writers_of_one_session_leave_no_gap(committed_db: CommittedDatabase) -> None:
    session = build_world().open_session()
    start = threading.Barrier(WRITERS)
    seqs: list[int] = []

    def write(writer: int) -> None:
        start.wait()
        try:
            for number in range(20):
                drafts = [draft("user.message", {"n": number, "writer": writer, "part": part}) for part in range(3)]
                result = append(session_id=session.id, drafts=drafts, actor=f"writer {writer}")
                seqs.extend(stored.seq for stored in result.results)
        finally:
            connection.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert sorted(seqs) == list(range(1, WRITERS * 60 + 1))
    found = verify_session(session.id)
    assert (found.verdict, found.events) == ("unanchored", WRITERS * 60)
    parts = [(event.payload["writer"], event.payload["part"]) for event in selectors.get_events(session.id)]
    assert all(parts[place][0] == parts[place + 2][0] for place in range(0, len(parts), 3))  # batches stay together


def test_writers_retrying_the_same_batch_store_it_once(committed_db: CommittedDatabase) -> None:
    session = build_world().open_session()
    batch = [draft("user.message", {"n": number}) for number in range(20)]
    start = threading.Barrier(WRITERS)
    answers: list[tuple[int, ...]] = []

    def write() -> None:
        start.wait()
        try:
            result = append(session_id=session.id, drafts=batch, actor="writer")
            answers.append(tuple(stored.seq for stored in result.results))
        finally:
            connection.close()

    writers = [threading.Thread(target=write) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert answers == [tuple(range(1, 21))] * WRITERS
    assert verify_session(session.id).events == 20


def test_a_transaction_that_fails_later_leaves_nothing(world: World) -> None:
    session = world.open_session()

    with pytest.raises(RuntimeError), transaction.atomic():
        world.append(session, ("user.message", {"text": "one"}))
        raise RuntimeError

    assert selectors.head_seq(session.id) == 0
    assert world.append(session, ("user.message", {"text": "two"})).first_seq == 1


def test_a_role_that_may_append_can_do_nothing_else(committed_db: CommittedDatabase) -> None:
    session = build_world().open_session()
    with connection.cursor() as cursor:  # the grants of docs/log.md
        cursor.execute(f"CREATE ROLE {ROLE} LOGIN")
        cursor.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {ROLE}")
        cursor.execute(f"GRANT EXECUTE ON FUNCTION eventlog_append TO {ROLE}")
    try:
        with psycopg.connect(committed_db.url) as writer:
            writer.execute(f"SET ROLE {ROLE}")
            appended = writer.execute(APPEND, [session.id, UUID(int=1)]).fetchone()
            writer.commit()
            assert appended == ([1], [False], 1)
            for statement in REFUSED:
                writer.execute(f"SET ROLE {ROLE}")
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    writer.execute(statement)
                writer.rollback()
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP OWNED BY {ROLE}")
            cursor.execute(f"DROP ROLE {ROLE}")
    assert verify_session(session.id).is_verified


ROLE = "test_log_writer"
APPEND = (
    "SELECT * FROM eventlog_append(%s, 'x', NULL, NULL, ARRAY[%s::uuid], ARRAY['user.message'], ARRAY['model'], "
    "ARRAY[1], ARRAY[now()], ARRAY[sha256('')], ARRAY['{}'::bytea])"
)
REFUSED = (
    "INSERT INTO eventlog_head (session_id, project_id, head_seq, head_hash) "
    "SELECT gen_random_uuid(), project_id, 0, head_hash FROM eventlog_head",
    "UPDATE eventlog_event SET actor = 'other'",
    "DELETE FROM eventlog_event",
    "TRUNCATE eventlog_event CASCADE",
    "DELETE FROM eventlog_payload",
    "UPDATE eventlog_head SET head_seq = 9",
    "ALTER TABLE eventlog_event DISABLE TRIGGER ALL",
    "SELECT eventlog_erase(NULL, 1, 1, 'x', NULL, NULL, '{}')",
    "SELECT eventlog_write(NULL, 'x', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
)
