"""Reads back what the log holds, once the weather is calm, and holds it against the history and against a clean run."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import connection

from contextapp.eventlog import selectors
from contextapp.eventlog.services import append, verify_session
from contextapp.eventlog.services.sessions import open_session
from tests.faults.checker import Row, content, faults
from tests.faults.history import History, drafts_of
from tests.world import World


def rows_of(sessions: Sequence[UUID]) -> list[Row]:
    return [
        Row(session, event.seq, UUID(str(event.event_id)), event.payload)
        for session in sessions
        for event in selectors.get_events(session)
    ]


def assert_sound(history: History, sessions: Sequence[UUID], world: World) -> None:
    """Every rule holds, the chains are whole, and what the retries ended in is what one undisturbed run writes."""
    connection.close()  # this thread's own may have died on the way
    rows = rows_of(sessions)
    assert faults(history.operations, rows) == []
    for session in sessions:
        assert is_clean(session)
    assert content(rows) == content(_clean_run(rows, world))


def is_clean(session: UUID) -> bool:
    """No verdict says that something was changed; without a checkpoint a session is at best unanchored."""
    return verify_session(session).verdict not in ("tampered", "diverged")


def _clean_run(rows: Sequence[Row], world: World) -> list[Row]:
    """The same batches, each sent once by one writer to sessions of their own; named as the first ones for comparison."""
    made: list[Row] = []
    for session in sorted({row.session for row in rows}, key=str):
        other = open_session(project_id=world.project.id, origin="api").id
        own = [row.payload for row in rows if row.session == session and row.payload["part"] == 0]
        for payload in own:
            drafts = drafts_of(payload["client"], payload["batch"], payload["of"], payload["filler"])
            append(session_id=other, drafts=drafts, actor="clean")
        made += [Row(session, row.seq, row.event_id, row.payload) for row in rows_of([other])]
    return made
