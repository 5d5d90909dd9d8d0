"""The database itself refuses to change the log, also for its owner and with replication's back door."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError

from contextapp.eventlog.models import Payload
from contextapp.eventlog.services import take_checkpoint, verify_session
from tests.world import World

GUARDED = (
    "eventlog_event",
    "eventlog_head",
    "eventlog_payload",
    "eventlog_checkpoint",
    "eventlog_checkpointhead",
    "accounts_auditentry",
)


@pytest.fixture(params=["origin", "replica"])
def cursor(request: pytest.FixtureRequest, world: World) -> Iterator[object]:
    """A session with one event. As `replica`, ordinary triggers would not fire."""
    world.append(world.open_session(title="a"), ("user.message", {"text": "one"}))
    take_checkpoint()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # TRUNCATE would first be stopped by the waiting checks
        cursor.execute("SELECT set_config('session_replication_role', %s, true)", [request.param])
        yield cursor


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE eventlog_event SET actor = 'other'",
        "DELETE FROM eventlog_event",
        "TRUNCATE eventlog_event CASCADE",
        "DELETE FROM eventlog_payload",
        "TRUNCATE eventlog_payload",
        "UPDATE eventlog_payload SET body = '{}'",
        "UPDATE eventlog_payload SET salt = sha256('x')",
        "UPDATE eventlog_payload SET seq = 2",
        "UPDATE eventlog_head SET head_seq = head_seq - 1",
        "UPDATE eventlog_head SET head_hash = sha256('x')",
        "UPDATE eventlog_head SET project_id = gen_random_uuid()",
        "DELETE FROM eventlog_head",
        "TRUNCATE eventlog_head CASCADE",
        "UPDATE eventlog_checkpoint SET note = 'other'",
        "UPDATE eventlog_checkpoint SET number = 2",
        "DELETE FROM eventlog_checkpoint",
        "TRUNCATE eventlog_checkpoint CASCADE",
        "UPDATE eventlog_checkpointhead SET head_seq = 2",
        "DELETE FROM eventlog_checkpointhead",
        "TRUNCATE eventlog_checkpointhead",
        "UPDATE accounts_auditentry SET actor = 'other'",
        "DELETE FROM accounts_auditentry",
        "TRUNCATE accounts_auditentry",
    ],
)
def test_the_database_refuses(cursor: object, statement: str) -> None:
    with pytest.raises(DatabaseError) as refused, transaction.atomic():
        cursor.execute(statement)  # type: ignore[attr-defined]

    assert getattr(refused.value.__cause__, "sqlstate", None) == "CX403"


def test_the_setting_of_erasure_opens_nothing_without_its_record(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "one"}), ("user.message", {"text": "two"}))

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL eventlog.redaction_seq = '2'")
        with pytest.raises(DatabaseError, match="deleted by erasure alone"), transaction.atomic():
            cursor.execute("DELETE FROM eventlog_payload WHERE session_id = %s AND seq = 1", [session.id])


def test_a_forged_redaction_is_refused(world: World) -> None:
    session = world.open_session()

    forged = (
        "SELECT eventlog_append(%s, 'x', NULL, NULL, ARRAY[gen_random_uuid()], ARRAY['event.redacted'], "
        "ARRAY['model'], ARRAY[1], ARRAY[now()], ARRAY[sha256('')], ARRAY['{}'::bytea])"
    )
    with (
        pytest.raises(DatabaseError, match="written by erasure alone"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(forged, [session.id])


def test_a_payload_is_read_and_never_changed(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "one"}))

    with pytest.raises(DatabaseError, match="can be read, not changed"), transaction.atomic():
        Payload.objects.filter(session_id=session.id).update(salt=bytes(32))

    assert verify_session(session.id).is_verified


def test_every_guard_is_always_enabled(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text, bool_and(tgenabled = 'A'), "
            "bool_or(tgtype & 32 > 0), bool_or(tgtype & 8 > 0) "  # TRUNCATE, DELETE
            "FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY(%s) GROUP BY 1",
            [list(GUARDED)],
        )
        found = cursor.fetchall()

    assert sorted(found) == [(table, True, True, True) for table in sorted(GUARDED)]


@pytest.mark.parametrize("function", ["eventlog_append", "eventlog_write", "eventlog_erase"])
def test_the_functions_are_not_everybody_s(db: None, function: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT has_function_privilege('public', oid, 'EXECUTE'), array_to_string(proconfig, ' ') "
            "FROM pg_proc WHERE proname = %s",
            [function],
        )
        [(is_public, configuration)] = cursor.fetchall()

    assert not is_public
    assert "search_path=pg_catalog, public, pg_temp" in configuration
