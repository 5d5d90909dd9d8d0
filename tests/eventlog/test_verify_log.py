"""Everything an owner of the database could do to the log is found and located: each column, row, session, checkpoint."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from contextapp.eventlog.errors import CheckpointRefused
from contextapp.eventlog.models import Artifact, Checkpoint, CheckpointHead, Event, Head, LogVerification, Payload
from contextapp.eventlog.services import erase_session, publish_checkpoints, take_checkpoint, verify_log, verify_session
from contextapp.eventlog.values import LogFindings
from contextapp.evidence import checkpoint, signed_note
from tests.eventlog import tampering
from tests.world import World

ONE, TWO = UUID(int=0x1111), UUID(int=0x2222)
PLACES = {
    "event": "session_id = '{one}' AND seq = 2",
    "payload": "session_id = '{one}' AND seq = 2",
    "head": "session_id = '{one}'",
    "artifact": "true",
    "checkpoint": "number = {number}",
    "checkpointhead": "session_id = '{one}' AND checkpoint_id = {number}",
}
OTHER = {
    "uuid": "'99999999-9999-4999-8999-999999999999'",
    "bytea": "sha256('other')",
    "bigint": "{column} + 7",
    "integer": "{column} + 7",
    "smallint": "{column} + 7",
    "timestamp with time zone": "coalesce({column}, now()) + interval '1 microsecond'",
    "text": "{column} || 'x'",
    "character varying": "'audit'",
}
NOT_EVIDENCE = {
    "checkpoint": {"published_to"},  # notes of delivery
    "artifact": {"id", "media_type", "created_at", "project_id"},  # the content is named by its hash
}


@pytest.fixture
def log(world: World) -> World:
    """Two sessions and two checkpoints, both published; the second covers what came later."""
    one, two = world.open_session(session_id=ONE), world.open_session(session_id=TWO)
    image = base64.b64encode(b"an image").decode()
    world.append(one, ("user.message", {"text": "one", "media": [{"media_type": "image/png", "data_base64": image}]}))
    world.append(one, ("user.message", {"text": "two"}))
    world.append(two, ("user.message", {"text": "three"}))
    take_checkpoint()
    world.append(one, ("user.message", {"text": "four"}), ("user.message", {"text": "five"}))
    take_checkpoint()
    publish_checkpoints()
    return world


def columns() -> list[tuple[str, str, int]]:
    """Every stored column of every kind of row that is evidence; those of checkpoints for an old one and the newest."""
    found = []
    models = {
        "event": Event,
        "payload": Payload,
        "head": Head,
        "artifact": Artifact,
        "checkpoint": Checkpoint,
        "checkpointhead": CheckpointHead,
    }
    for table, model in models.items():
        for field in model._meta.concrete_fields:
            if field.column and field.column not in NOT_EVIDENCE.get(table, ()):
                numbers = (1, 2) if table.startswith("checkpoint") else (0,)
                found += [(table, field.column, number) for number in numbers]
    return found


def flip(table: str, column: str, number: int) -> str:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT data_type FROM information_schema.columns WHERE table_name = %s AND column_name = %s",
            [f"eventlog_{table}", column],
        )
        (kind,) = cursor.fetchone()
    value = OTHER[kind].format(column=column)
    return f"UPDATE eventlog_{table} SET {column} = {value} WHERE {PLACES[table].format(one=ONE, number=number)}"


def faults(found: LogFindings) -> set[tuple[UUID | None, int | None]]:
    return {(fault.session_id, fault.seq) for fault in found.faults}


def test_an_untouched_log_verifies(log: World) -> None:
    found = verify_log()

    assert (found.verdict, found.faults, found.unanchored) == ("verified", (), 0)
    assert (found.sessions, found.events, found.checkpoints) == (2, 5, 2)
    assert {(one.checkpoint, one.anchored_seq) for one in found.results.values()} == {(1, 1), (2, 4)}


@pytest.mark.parametrize(("table", "column", "number"), columns())
def test_every_column_of_every_row_is_evidence(log: World, table: str, column: str, number: int) -> None:
    tampering.tamper(flip(table, column, number))

    found = verify_log()

    assert found.verdict in ("tampered", "diverged")
    if table.startswith("checkpoint"):
        assert any(f"checkpoint {number}" in fault.what for fault in found.faults), found.faults
    else:
        assert ONE in {fault.session_id for fault in found.faults}
        assert TWO not in {fault.session_id for fault in found.faults}


@pytest.mark.parametrize("column", ["occurred_at", "recorded_at"])
@pytest.mark.parametrize("time", ["infinity", "-infinity", "294276-12-31 23:59:59Z", "4713-01-01Z BC"])
def test_a_time_beyond_all_counting_is_a_fault_and_no_error(log: World, column: str, time: str) -> None:
    tampering.tamper(f"UPDATE eventlog_event SET {column} = '{time}' WHERE session_id = '{ONE}' AND seq = 2")

    assert faults(verify_log()) == {(ONE, 2)}


@pytest.mark.parametrize("body", ["''", "'\\xff00'", "'[]'", "convert_to('{\"first_seq\":null}', 'UTF8')"])
def test_a_redaction_that_can_not_be_read_is_a_fault_and_no_error(log: World, body: str) -> None:
    erase_session(session_id=TWO, reason="asked to", actor="user:alice")

    tampering.tamper(f"UPDATE eventlog_payload SET body = {body} WHERE session_id = '{TWO}'")

    assert faults(verify_log()) == {(TWO, 1)}


def test_a_tail_that_was_cut_off_cleanly_is_diverged(log: World) -> None:
    tampering.cut_tail(ONE, 3)

    found = verify_log()

    assert (found.verdict, faults(found)) == ("diverged", {(ONE, 4)})
    assert "is not the one that checkpoint 2 signed" in found.faults[0].what


def test_a_session_that_was_written_anew_is_diverged(log: World) -> None:
    tampering.rechain(ONE, 2, b'{"text":"other"}')

    found = verify_log()

    assert (found.verdict, faults(found)) == ("diverged", {(ONE, 2)})
    assert verify_session(ONE).verdict == "diverged"


def test_a_session_that_was_removed_is_named(log: World) -> None:
    tampering.remove_session(ONE)

    found = verify_log()

    assert (found.verdict, faults(found)) == ("tampered", {(ONE, None)})
    assert "is in checkpoint 2, but no longer in the log" in found.faults[0].what


def test_a_session_that_was_removed_from_the_checkpoints_too_is_noticed(log: World) -> None:
    tampering.remove_session(ONE)
    tampering.tamper(f"DELETE FROM eventlog_checkpointhead WHERE session_id = '{ONE}'")

    found = verify_log()

    assert found.verdict == "tampered"
    assert {fault.what.partition(":")[0] for fault in found.faults} == {"checkpoint 1", "checkpoint 2"}


@pytest.mark.parametrize(
    ("number", "verdict"),
    [(1, "tampered"), (2, "diverged")],  # the last one is missed by the published file alone
)
def test_a_checkpoint_that_was_removed_is_noticed(log: World, number: int, verdict: str) -> None:
    tampering.tamper(
        f"DELETE FROM eventlog_checkpointhead WHERE checkpoint_id = {number}",
        f"DELETE FROM eventlog_checkpoint WHERE number = {number}",
    )

    found = verify_log()

    assert found.verdict == verdict
    assert any(f"checkpoint {number}" in fault.what for fault in found.faults)


def test_all_checkpoints_removed_are_noticed(log: World) -> None:
    tampering.tamper("DELETE FROM eventlog_checkpointhead", "DELETE FROM eventlog_checkpoint")

    assert verify_log().verdict == "diverged"


def test_a_backup_that_was_rewound_and_continued_is_diverged(log: World) -> None:
    tampering.cut_tail(ONE, 2)
    tampering.tamper(
        "DELETE FROM eventlog_checkpointhead WHERE checkpoint_id = 2",
        "DELETE FROM eventlog_checkpoint WHERE number = 2",
    )
    tampering.restore()
    log.append(log.open_session(), ("user.message", {"text": "a new history"}))

    with pytest.raises(CheckpointRefused, match="it was rewound"):
        take_checkpoint()
    found = verify_log()

    assert found.verdict == "diverged"
    assert "checkpoint 2: was published, but is not in the log" in found.faults[0].what


def test_a_checkpoint_that_was_signed_with_another_key_is_refused(log: World) -> None:
    newest = Checkpoint.objects.get(number=2)
    said = checkpoint.read(newest.note.partition("\n\n")[0] + "\n")
    forged = signed_note.sign(said.text(), said.origin, Ed25519PrivateKey.generate())
    tampering.tamper()
    Checkpoint.objects.filter(number=2).update(note=forged)

    found = verify_log()

    assert found.verdict == "tampered"
    assert "checkpoint 2: signed by example.org/log" in found.faults[0].what


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda text: text.replace("events 5", "events 6"), "tampered"),
        (lambda text: text[:-40], "tampered"),
        (lambda text: "", "verified"),  # rotated away by somebody who keeps it
    ],
)
def test_the_published_file_is_read_with_care(
    log: World, evidence_folder: Path, change: Callable[[str], str], verdict: str
) -> None:
    path = evidence_folder / "checkpoints.txt"
    path.write_text(change(path.read_text()))

    assert verify_log().verdict == verdict


@pytest.mark.parametrize(
    ("statements", "seq"),
    [
        (["DELETE FROM eventlog_artifact"], 1),
        (["UPDATE eventlog_artifact SET body = 'other'"], 1),
        (["UPDATE eventlog_artifact SET size_bytes = 1"], 1),
        ([f"INSERT INTO eventlog_payload (session_id, seq, salt, body) VALUES ('{ONE}', 9, sha256(''), '')"], None),
        ([f"DELETE FROM eventlog_payload WHERE session_id = '{ONE}' AND seq = 3"], 3),
        ([f"DELETE FROM eventlog_head WHERE session_id = '{ONE}'"], None),
        ([f"DELETE FROM eventlog_session WHERE id = '{ONE}'"], None),
        ([f"UPDATE eventlog_session SET project_id = gen_random_uuid() WHERE id = '{ONE}'"], None),
    ],
)
def test_what_is_missing_or_too_much_is_located(log: World, statements: list[str], seq: int | None) -> None:
    tampering.tamper(*statements)

    found = verify_log()

    assert (found.verdict, faults(found)) == ("tampered", {(ONE, seq)})


def test_an_audit_trail_that_was_changed_is_a_fault_of_the_log(log: World) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE accounts_auditentry DISABLE TRIGGER ALL")
        cursor.execute("UPDATE accounts_auditentry SET actor = 'nobody' WHERE action = 'project.created'")

    found = verify_log()

    assert found.verdict == "tampered"
    assert {fault.what.partition(":")[0] for fault in found.faults} == {
        "audit trail of wonderland",
        "audit trail of elsewhere",
    }


def test_an_erasure_is_no_fault_and_an_erasure_without_its_record_is_one(log: World) -> None:
    erase_session(session_id=TWO, reason="asked to", actor="user:alice")
    assert verify_log().is_verified

    tampering.tamper(f"DELETE FROM eventlog_payload WHERE session_id = '{TWO}'")

    assert faults(verify_log()) == {(TWO, 1)}


def test_a_run_is_kept_and_an_alarm_raised_once(log: World) -> None:
    from contextapp.accounts.models import AuditEntry

    tampering.tamper(f"UPDATE eventlog_event SET actor = 'other' WHERE session_id = '{ONE}' AND seq = 2")

    verify_log()
    verify_log()

    runs = list(LogVerification.objects.order_by("id"))
    entry = AuditEntry.objects.get(action="log.verification_failed")
    assert [(run.verdict, run.is_full, run.sessions) for run in runs] == [("tampered", True, 2)] * 2
    assert runs[0].faults == [
        {"session": str(ONE), "verdict": "tampered", "seq": 2, "what": "hash does not match the columns"}
    ]
    assert entry.after["faults"] == runs[0].faults
