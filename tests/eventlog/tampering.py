"""What somebody who owns the database can do to the log: triggers and constraints off, then any statement."""

from __future__ import annotations

from uuid import UUID

from django.db import connection

from contextapp.eventlog.models import Event, Payload
from contextapp.evidence import chain

TABLES = ("session", "event", "payload", "head", "checkpoint", "checkpointhead", "artifact", "artifactuse")


def tamper(*statements: str) -> None:
    """As the owner of the tables. Undone with the test's transaction, or gone with its database."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in TABLES:
            cursor.execute(f"ALTER TABLE eventlog_{table} DISABLE TRIGGER ALL")
        cursor.execute("ALTER TABLE eventlog_event DROP CONSTRAINT IF EXISTS event_hash_version_known")
        cursor.execute("ALTER TABLE eventlog_artifact DROP CONSTRAINT IF EXISTS artifact_sha256_is_of_body")
        for statement in statements:
            cursor.execute(statement)


def restore() -> None:
    """The triggers again, as somebody would do who does not want to be noticed."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in TABLES:
            cursor.execute(f"ALTER TABLE eventlog_{table} ENABLE TRIGGER ALL")


def cut_tail(session_id: UUID, last_seq: int) -> None:
    """Everything after `last_seq` goes, and the head fits again."""
    here = f"session_id = '{session_id}'"
    tamper(
        f"DELETE FROM eventlog_payload WHERE {here} AND seq > {last_seq}",
        f"DELETE FROM eventlog_event WHERE {here} AND seq > {last_seq}",
        f"UPDATE eventlog_head SET head_seq = {last_seq}, head_hash = coalesce((SELECT hash FROM eventlog_event "
        f"WHERE {here} AND seq = {last_seq}), decode(repeat('00', 32), 'hex')) WHERE {here}",
    )


def remove_session(session_id: UUID) -> None:
    """The session, its events and its head, as if it had never been."""
    tamper(
        *[f"DELETE FROM eventlog_{table} WHERE session_id = '{session_id}'" for table in ("payload", "event", "head")]
    )
    tamper(f"DELETE FROM eventlog_session WHERE id = '{session_id}'")


def rechain(session_id: UUID, seq: int, body: bytes) -> None:
    """Another content at `seq`, and every hash from there on computed anew: the chain alone shows nothing."""
    tamper()
    previous = chain.GENESIS
    for event in Event.objects.filter(session_id=session_id).order_by("seq"):
        salt = bytes(Payload.objects.values_list("salt", flat=True).get(session_id=session_id, seq=event.seq))
        commit, length = bytes(event.payload_commit), event.payload_len
        if event.seq == seq:
            commit, length = chain.payload_commit(salt, body), len(body)
            Payload.objects.filter(session_id=session_id, seq=seq).update(body=body)
        header = chain.EventHeader(
            event.project_id, session_id, event.seq, event.event_id, event.type, event.schema_version, event.visibility,
            event.occurred_at, event.recorded_at, event.actor, event.api_key_id, commit, length, previous,
        )  # fmt: skip
        digest = chain.event_hash(header)
        Event.objects.filter(session_id=session_id, seq=event.seq).update(
            payload_commit=commit, payload_len=length, prev_hash=previous, hash=digest
        )
        previous = digest
    with connection.cursor() as cursor:
        cursor.execute("UPDATE eventlog_head SET head_hash = %s WHERE session_id = %s", [previous, session_id])
