"""Every column of every row, changed by someone who can switch the triggers off, is found and located."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from contextapp.eventlog.models import Session
from contextapp.eventlog.services import append, erase_session, verify_session
from contextapp.evidence import chain
from tests.world import World, draft

FLIPS = {
    "event_id": "event_id = gen_random_uuid()",
    "project_id": "project_id = gen_random_uuid()",
    "type": "type = 'model.message'",
    "schema_version": "schema_version = 2",
    "visibility": "visibility = 'audit'",
    "occurred_at": "occurred_at = '2020-01-01Z'",
    "recorded_at": "recorded_at = recorded_at + interval '1 microsecond'",
    "actor": "actor = 'other'",
    "api_key_id": "api_key_id = gen_random_uuid()",
    "payload_commit": "payload_commit = sha256('x')",
    "payload_len": "payload_len = payload_len + 1",
    "prev_hash": "prev_hash = sha256('x')",
    "hash": "hash = sha256('x')",
}


@pytest.fixture
def session(world: World) -> Session:
    session = world.open_session()
    world.append(session, *[("user.message", {"text": f"message {number}"}) for number in range(5)])
    return session


def tamper(*statements: str) -> None:
    """As the owner of the tables: triggers and checks off. Undone with the test's transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in ("event", "payload", "head"):
            cursor.execute(f"ALTER TABLE eventlog_{table} DISABLE TRIGGER ALL")
        for constraint in ("event_hash_version_known",):
            cursor.execute(f"ALTER TABLE eventlog_event DROP CONSTRAINT {constraint}")
        for statement in statements:
            cursor.execute(statement)


@pytest.mark.parametrize("column", FLIPS)
@pytest.mark.parametrize("seq", [1, 3, 5])
def test_a_changed_column_is_located(session: Session, column: str, seq: int) -> None:
    tamper(f"UPDATE eventlog_event SET {FLIPS[column]} WHERE session_id = '{session.id}' AND seq = {seq}")

    found = verify_session(session.id)

    assert (found.verdict, found.seq) == ("tampered", seq)


def test_every_column_is_flipped() -> None:
    columns = {field.column for field in Session.events.rel.related_model._meta.concrete_fields}  # type: ignore[attr-defined]

    assert columns - set(FLIPS) == {"session_id", "seq", "hash_version"}  # those have tests of their own


@pytest.mark.parametrize(
    ("statement", "seq", "what"),
    [
        ("UPDATE eventlog_payload SET body = '{{}}' WHERE {here} AND seq = 2", 2, "payload does not match"),
        ("UPDATE eventlog_payload SET salt = sha256('x') WHERE {here} AND seq = 2", 2, "payload does not match"),
        ("DELETE FROM eventlog_payload WHERE {here} AND seq = 4", 4, "payload is missing without a redaction"),
        ("UPDATE eventlog_event SET hash_version = 2 WHERE {here} AND seq = 2", 2, "hash does not match"),
        ("DELETE FROM eventlog_event WHERE {here} AND seq = 3", 4, "gap before this event"),
        ("DELETE FROM eventlog_event WHERE {here} AND seq = 1", 2, "gap before this event"),
        ("DELETE FROM eventlog_event WHERE {here} AND seq = 5", 5, "the head stands at 5, the last event is 4"),
        ("DELETE FROM eventlog_event WHERE {here}", 1, "the head stands at 5, the last event is 0"),
        ("UPDATE eventlog_event SET seq = 7 WHERE {here} AND seq = 5", 7, "gap before this event"),
        ("UPDATE eventlog_head SET head_seq = 4 WHERE {here}", 5, "the head stands at 4"),
        ("UPDATE eventlog_head SET head_hash = sha256('x') WHERE {here}", 5, "head_hash is not the hash"),
        ("DELETE FROM eventlog_head WHERE {here}", None, "the session has no head"),
    ],
)
def test_a_changed_row_is_located(session: Session, statement: str, seq: int | None, what: str) -> None:
    tamper(statement.format(here=f"session_id = '{session.id}'"))

    found = verify_session(session.id)

    assert (found.verdict, found.seq) == ("tampered", seq)
    assert what in found.what


def test_swapped_events_are_located(session: Session) -> None:
    here = f"session_id = '{session.id}'"
    tamper(
        *[
            f"UPDATE eventlog_event SET seq = {new} WHERE {here} AND seq = {old}"
            for old, new in [(2, 9), (3, 2), (9, 3)]
        ]
    )

    found = verify_session(session.id)

    assert (found.verdict, found.seq) == ("tampered", 2)


def test_events_moved_to_another_session_are_located(session: Session, world: World) -> None:
    other = world.open_session()
    tamper(
        f"UPDATE eventlog_event SET session_id = '{other.id}' WHERE session_id = '{session.id}'",
        f"UPDATE eventlog_payload SET session_id = '{other.id}' WHERE session_id = '{session.id}'",
        f"UPDATE eventlog_head AS moved SET head_seq = head.head_seq, head_hash = head.head_hash "
        f"FROM eventlog_head AS head WHERE moved.session_id = '{other.id}' AND head.session_id = '{session.id}'",
    )

    found = verify_session(other.id)

    assert (found.verdict, found.seq) == ("tampered", 1)


def test_a_redaction_whose_range_was_changed_is_located(session: Session) -> None:
    erase_session(session_id=session.id, reason="asked to", actor="user:alice")
    tamper(
        "UPDATE eventlog_payload SET body = convert_to(replace(convert_from(body, 'UTF8'), "
        f"'\"last_seq\":5', '\"last_seq\":6'), 'UTF8') WHERE session_id = '{session.id}'"
    )

    found = verify_session(session.id)

    assert (found.seq, found.what) == (6, "payload does not match its commitment")


def test_the_two_verifiers_agree_on_every_stored_hash(session: Session) -> None:
    append(session_id=session.id, drafts=[draft("tool.completed", {"content": "é\0\ud800"})], actor="Zoë 中文")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT project_id, event.session_id, event.seq, event_id, type, schema_version, visibility, occurred_at, "
            "recorded_at, actor, api_key_id, payload_commit, payload_len, prev_hash, hash, salt, body "
            "FROM eventlog_event AS event JOIN eventlog_payload AS payload USING (session_id, seq) ORDER BY seq"
        )
        rows: list[Any] = cursor.fetchall()

    previous = chain.GENESIS
    for *columns, prev_hash, digest, salt, body in rows:
        assert bytes(prev_hash) == previous
        header = chain.EventHeader(*columns[:-2], bytes(columns[-2]), columns[-1], previous)
        assert chain.payload_commit(bytes(salt), bytes(body)) == header.payload_commit
        previous = chain.event_hash(header)
        assert bytes(digest) == previous
    assert len(rows) == 6


def test_the_command_tells_the_place_and_fails(session: Session, world: World) -> None:
    world.append(world.open_session(), ("user.message", {"text": "untouched"}))
    tamper(f"UPDATE eventlog_event SET actor = 'other' WHERE session_id = '{session.id}' AND seq = 2")
    output = StringIO()

    with pytest.raises(SystemExit) as left:
        call_command("verify", "--json", stdout=output)

    told = json.loads(output.getvalue())
    assert left.value.code == 1
    assert (told["verdict"], told["sessions"], told["events"]) == ("tampered", 2, 6)
    assert [(fault["session"], fault["seq"]) for fault in told["faults"]] == [(str(session.id), 2)]


def test_the_command_verifies_one_session(session: Session) -> None:
    output = StringIO()

    call_command("verify", str(session.id), stdout=output)

    assert output.getvalue() == (
        "unanchored: 1 sessions (1 verified by their chains alone), 5 events, 0 of them erased, 0 checkpoints\n"
    )


@pytest.mark.parametrize("given", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_the_command_refuses_what_is_no_session(db: None, given: str) -> None:
    with pytest.raises(CommandError, match=given):
        call_command("verify", given)
