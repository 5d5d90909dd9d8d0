"""Forgetting an import erases what only it brought in; the record of the erasure stays and the files can come again."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection

from contextapp.accounts.models import AuditEntry
from contextapp.eventlog.models import Session
from contextapp.eventlog.services import verify_session
from contextapp.intake import selectors
from contextapp.intake.errors import ImportRunning
from contextapp.intake.models import Import, ImportState, QuarantinedLine
from contextapp.intake.services import forget_import
from tests.importers.parsing import assistant, to_lines, user
from tests.intake.files import TEXT, bring_in, conversation, sessions, stored, write
from tests.world import World

CANARY = "canary-7f3a"


def rows_with(word: str) -> list[str]:
    """Tables that hold the word anywhere in a row, bytes included."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT count(*) FROM "{table}" AS t WHERE t::text LIKE %s OR t::text LIKE %s',
                           [f"%{word}%", f"%{word.encode().hex()}%"])  # fmt: skip
            if cursor.fetchone()[0]:
                found.append(table)
    return found


def test_a_forgotten_import_leaves_no_word_of_it(world: World, tmp_path: Path) -> None:
    body = to_lines(user(f"Fix {CANARY}", 1), assistant({"type": "text", "text": CANARY}, 2)) + f"[{CANARY}\n".encode()
    batch = bring_in(world, write(tmp_path, "a.jsonl", body))
    session = sessions(world)[0]
    assert len(rows_with(CANARY)) >= 3

    forget_import(import_id=batch.id, actor="user:alice")

    assert rows_with(CANARY) == []
    assert verify_session(session.id).is_verified
    assert selectors.source_of(session.id) is None
    assert AuditEntry.objects.filter(action="import.forgotten", actor="user:alice").count() == 1


def test_what_was_forgotten_can_come_again_as_a_new_session(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", conversation())
    batch = bring_in(world, path)
    events = stored(sessions(world)[0])
    forget_import(import_id=batch.id, actor="user:alice")

    again = bring_in(world, path)

    assert stored(sessions(world)[0]) == events
    assert selectors.files_of(again.id)[0].events_new == len(events)
    assert Session.objects.filter(project=world.project).count() == 2


def test_a_session_that_another_import_brought_in_too_stays(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", conversation())
    first = bring_in(world, path)
    second = bring_in(world, path)

    forget_import(import_id=first.id, actor="user:alice")
    assert len(sessions(world)) == 1

    forget_import(import_id=second.id, actor="user:alice")
    assert sessions(world) == []


def test_forgetting_twice_changes_nothing(world: World, tmp_path: Path) -> None:
    batch = bring_in(world, write(tmp_path, "a.jsonl", conversation()))
    forget_import(import_id=batch.id, actor="user:alice")

    assert forget_import(import_id=batch.id, actor="user:alice").state == ImportState.FORGOTTEN
    assert AuditEntry.objects.filter(action="import.forgotten").count() == 1


def test_a_running_import_can_not_be_forgotten(world: World, tmp_path: Path) -> None:
    batch = bring_in(world, write(tmp_path, "a.jsonl", conversation()))
    Import.objects.update(state=ImportState.RUNNING)

    with pytest.raises(ImportRunning):
        forget_import(import_id=batch.id, actor="user:alice")

    assert len(sessions(world)) == 1


def test_erasing_a_session_by_itself_takes_its_quarantined_lines_along(world: World, tmp_path: Path) -> None:
    from contextapp.eventlog.services import erase_session

    bring_in(world, write(tmp_path, "a.jsonl", conversation() + b"[broken\n"))
    assert QuarantinedLine.objects.count() == 1

    erase_session(session_id=sessions(world)[0].id, reason="asked for", actor="user:alice")

    assert QuarantinedLine.objects.count() == 0


def test_a_file_whose_session_was_erased_is_imported_anew(world: World, tmp_path: Path) -> None:
    from contextapp.eventlog.services import erase_session

    path = write(tmp_path, "a.jsonl", to_lines(user("go", 1), assistant(TEXT, 2)))
    bring_in(world, path)
    erase_session(session_id=sessions(world)[0].id, reason="asked for", actor="user:alice")

    again = selectors.files_of(bring_in(world, path).id)[0]

    assert again.events_new > 0
    assert len(sessions(world)) == 1
