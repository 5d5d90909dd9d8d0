"""Appends events: validate, mask, encode, then one call of the database function that alone writes the log.

Everything of a batch is stored, or nothing; a refusal names index, field and rule.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NoReturn
from uuid import UUID

import psycopg
from django.db import DatabaseError, connection, transaction

from contextapp.eventlog.errors import EventIdConflict, SessionErased, UnknownSession, WrongHead
from contextapp.eventlog.masking.projects import rules_for
from contextapp.eventlog.models import Session
from contextapp.eventlog.services.artifacts import keep_artifacts, name_artifacts
from contextapp.eventlog.services.drafts import Prepared, prepare
from contextapp.eventlog.values import AppendResult, Draft, Stored
from contextapp.evidence.chain import SALT_BYTES

CALL_EVENTS = 1000
CALL_BYTES = 32 * 1024 * 1024
_APPEND = (
    "SELECT seqs, duplicates, head FROM eventlog_append("
    "%b::uuid, %b::text, %b::uuid, %b::bigint, %b::uuid[], %b::text[], %b::text[], %b::integer[], %b::timestamptz[], "
    "%b::bytea[], %b::bytea[])"
)


@dataclass(slots=True)
class _Written:
    """What the calls of one append have written so far."""

    results: list[Stored]
    head_seq: int = 0
    grew: bool = False


def append(
    *,
    session_id: UUID,
    drafts: Sequence[Draft],
    actor: str,
    api_key_id: UUID | None = None,
    expected_seq: int | None = None,
) -> AppendResult:
    """Store the drafts in order, all or none. A draft that is there already keeps its seq and is named a duplicate."""
    _check_actor(actor)
    masking = rules_for(project_of(session_id))
    prepared = [prepare(index, draft, masking) for index, draft in enumerate(drafts)]
    unique, places = _without_repeats(prepared)

    calls = list(_calls(unique)) or [[]]
    written = _Written([])
    needs_transaction = len(calls) > 1 or name_artifacts(unique) or connection.in_atomic_block
    with transaction.atomic() if needs_transaction else nullcontext():  # one statement is a transaction by itself
        for call in calls:
            expected = expected_seq if unique and not written.grew else None
            _write(written, session_id, actor, api_key_id, expected, call)
        keep_artifacts(session_id=session_id, prepared=unique, seqs=[stored.seq for stored in written.results])

    results = _in_draft_order(written.results, places)
    seqs = [stored.seq for stored in results]
    return AppendResult(min(seqs, default=0), max(seqs, default=0), results, written.head_seq)


def _write(
    written: _Written,
    session_id: UUID,
    actor: str,
    api_key_id: UUID | None,
    expected_seq: int | None,
    events: list[Prepared],
) -> None:
    parameters: tuple[Any, ...] = (  # Any: the columns of the call, each of its own type
        session_id,
        actor,
        api_key_id,
        expected_seq,
        [event.draft.event_id for event in events],
        [event.draft.type for event in events],
        [event.draft.visibility for event in events],
        [event.draft.schema_version for event in events],
        [event.draft.occurred_at for event in events],
        [secrets.token_bytes(SALT_BYTES) for _ in events],
        [event.body for event in events],
    )
    try:
        seqs, duplicates, head = call_function(_APPEND, parameters)
    except DatabaseError as error:
        _raise_named(error, session_id, expected_seq)
    if head is None:
        raise UnknownSession(session_id)
    written.results += [Stored(seq, duplicate) for seq, duplicate in zip(seqs, duplicates, strict=True)]
    written.grew = written.grew or not all(duplicates)
    written.head_seq = head


def call_function(statement: str, parameters: tuple[Any, ...]) -> tuple[Any, ...]:
    """One row from a function of the log, with its parameters sent as bytes: Django's own cursor writes them into the SQL."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        row: tuple[Any, ...] | None = cursor.execute(statement, parameters, binary=True).fetchone()
    if row is None:
        raise RuntimeError("a function of the log answered no row")
    return row


def _raise_named(error: DatabaseError, session_id: UUID, expected_seq: int | None) -> NoReturn:
    cause = error.__cause__
    if not isinstance(cause, psycopg.Error):
        raise error
    detail = cause.diag.message_detail or ""
    if cause.sqlstate == "CX404":
        raise UnknownSession(session_id) from error
    if cause.sqlstate == "CX410":
        raise SessionErased(session_id) from error
    if cause.sqlstate == "CX412":
        raise WrongHead(expected_seq or 0, int(detail)) from error
    if cause.sqlstate == "CX409":
        event_id, seq = detail.split()
        raise EventIdConflict(UUID(event_id), int(seq)) from error
    raise error


def _check_actor(actor: str) -> None:
    if not 0 < len(actor) <= 200 or "\0" in actor:
        raise ValueError(f"actor {actor[:40]!r} must have 1 to 200 characters and no NUL")


def _without_repeats(prepared: list[Prepared]) -> tuple[list[Prepared], list[tuple[int, bool]]]:
    """Each id once, and for each draft which of those it is and whether it repeats one of this very batch."""
    unique: list[Prepared] = []
    found: dict[UUID, int] = {}
    places = []
    for event in prepared:
        place = found.get(event.draft.event_id)
        if place is None:
            place = found[event.draft.event_id] = len(unique)
            unique.append(event)
            places.append((place, False))
            continue
        if not event.is_same_as(unique[place]):
            raise EventIdConflict(event.draft.event_id, None)
        places.append((place, True))
    return unique, places


def _in_draft_order(stored: list[Stored], places: Iterable[tuple[int, bool]]) -> tuple[Stored, ...]:
    return tuple(Stored(stored[place].seq, stored[place].duplicate or repeats) for place, repeats in places)


def _calls(events: list[Prepared]) -> Iterator[list[Prepared]]:
    call: list[Prepared] = []
    size = 0
    for event in events:
        if call and (len(call) == CALL_EVENTS or size + len(event.body) > CALL_BYTES):
            yield call
            call, size = [], 0
        call.append(event)
        size += len(event.body)
    if call:
        yield call


_projects: dict[UUID, UUID] = {}  # a session never changes its project, so what is known stays true
_KNOWN_SESSIONS = 10_000


def project_of(session_id: UUID) -> UUID | None:
    """Whose session it is; None for an unknown one. A session never moves, so a process asks once."""
    found = _projects.get(session_id)
    if found is None:
        found = Session.objects.filter(id=session_id).values_list("project_id", flat=True).first()
        if found is not None:
            if len(_projects) >= _KNOWN_SESSIONS:
                _projects.clear()
            _projects[session_id] = found
    return found
