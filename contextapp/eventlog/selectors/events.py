"""Events as the engine sees them, and rows with previews for people. Reads pages of the log, never more than asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
from django.db import connection

from contextapp.engine.events import Event
from contextapp.eventlog.models import Event as EventRecord
from contextapp.eventlog.models import Head
from contextapp.evidence import canonical

PAGE_EVENTS = 200
PREVIEW_CHARS = 4096
ERASED: dict[str, Any] = {"erased": True}

# Each payload by its key: of a table without statistics a join reads the whole session for every event.
_SELECT = """
SELECT event.seq, event.type, event.event_id, event.occurred_at, event.visibility, (
        SELECT payload.body FROM eventlog_payload AS payload
        WHERE payload.session_id = event.session_id AND payload.seq = event.seq
    ), event.recorded_at, event.actor, event.payload_len, event.hash
FROM eventlog_event AS event
WHERE event.session_id = %s AND event.seq > %s AND event.seq <= %s{of_types}
ORDER BY event.seq LIMIT %s
"""
_SELECT_SEQS = """
SELECT event.seq, event.type, event.event_id, event.occurred_at, event.visibility, (
        SELECT payload.body FROM eventlog_payload AS payload
        WHERE payload.session_id = event.session_id AND payload.seq = event.seq
    ), event.recorded_at, event.actor, event.payload_len, event.hash
FROM eventlog_event AS event
WHERE event.session_id = %s AND event.seq = ANY(%s)
ORDER BY event.seq
"""
_ALL_TYPES = _SELECT.format(of_types="")
_OF_TYPES = _SELECT.format(of_types=" AND event.type LIKE ANY(%s)")
_LAST = 2**62


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event for a page: its envelope, and its payload with long strings cut (`cut_strings` says how many)."""

    seq: int
    type: str
    event_id: UUID
    occurred_at: datetime | None
    recorded_at: datetime
    visibility: str
    actor: str
    payload: dict[str, Any]  # JSON of the writer's shape
    payload_len: int
    hash: str
    is_erased: bool
    cut_strings: int


def get_events(
    session_id: UUID,
    after_seq: int = 0,
    upto_seq: int | None = None,
    limit: int | None = None,
    seqs: Sequence[int] | None = None,
    types: Sequence[str] = (),
) -> list[Event]:
    """Events in order of seq; either a range or exactly `seqs`. An erased payload reads {"erased": true}. Of a range, `types`
    names the ones that are wanted: a whole type, or with a dot at its end the beginning of one (`tool.`)."""
    return [_event(row) for row in _fetch(session_id, after_seq, upto_seq, limit, seqs, types)]


def iter_events(
    session_id: UUID, after_seq: int = 0, upto_seq: int | None = None, page_events: int = PAGE_EVENTS
) -> Iterator[Event]:
    """The same range page by page, so that a long session never stands in memory."""
    while page := get_events(session_id, after_seq, upto_seq, page_events):
        yield from page
        after_seq = page[-1].seq
        if after_seq == upto_seq:
            break


def tail_events(session_id: UUID, upto_seq: int, weight_limit: int, weigh: Callable[[Event], int]) -> list[Event]:
    """The newest events up to `upto_seq` that together reach the weight, in order. Reads backwards and stops there."""
    newest_first: list[Event] = []
    weight = 0
    last = upto_seq
    while last > 0 and weight < weight_limit:
        page = get_events(session_id, max(last - PAGE_EVENTS, 0), last)
        for event in reversed(page):
            newest_first.append(event)
            weight += weigh(event)
            if weight >= weight_limit:
                break
        last -= PAGE_EVENTS
    return newest_first[::-1]


def get_rows(
    session_id: UUID,
    after_seq: int = 0,
    upto_seq: int | None = None,
    limit: int | None = PAGE_EVENTS,
    seqs: Sequence[int] | None = None,
    preview_chars: int = PREVIEW_CHARS,
) -> list[EventRow]:
    """Events for a page, with every string cut to `preview_chars`."""
    return [_row(row, preview_chars) for row in _fetch(session_id, after_seq, upto_seq, limit, seqs)]


def head_seq(session_id: UUID) -> int:
    """Where the session's log ends; 0 when it is empty or unknown."""
    return Head.objects.filter(session_id=session_id).values_list("head_seq", flat=True).first() or 0


def event_counts(session_id: UUID) -> dict[str, int]:
    """How many events of each type the session has."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT type, count(*) FROM {EventRecord._meta.db_table} WHERE session_id = %s GROUP BY type ORDER BY type",  # noqa: S608  the name of our own table
            [session_id],
        )
        return dict(cursor.fetchall())


def _fetch(
    session_id: UUID,
    after_seq: int,
    upto_seq: int | None,
    limit: int | None,
    seqs: Sequence[int] | None,
    types: Sequence[str] = (),
) -> list[tuple[Any, ...]]:
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        if seqs is not None:
            cursor.execute(_SELECT_SEQS, (session_id, [*seqs]), binary=True)
        else:
            last = _LAST if upto_seq is None else upto_seq
            patterns = ([_pattern(each) for each in types],) if types else ()
            statement = _OF_TYPES if types else _ALL_TYPES
            cursor.execute(statement, (session_id, after_seq, last, *patterns, limit), binary=True)
        return cursor.fetchall()


def _pattern(wanted: str) -> str:
    """For LIKE; what is a sign of its language in there stands for itself."""
    plain = wanted.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%")
    return plain + "%" if wanted.endswith(".") else plain


def _event(row: tuple[Any, ...]) -> Event:
    seq, kind, event_id, occurred_at, visibility, body = row[:6]
    return Event(
        seq=seq,
        type=kind,
        payload=ERASED if body is None else canonical.read(body),
        event_id=str(event_id),
        occurred_at=None if occurred_at is None else occurred_at.isoformat(),
        visibility=visibility,
    )


def _row(row: tuple[Any, ...], preview_chars: int) -> EventRow:
    seq, kind, event_id, occurred_at, visibility, body, recorded_at, actor, payload_len, digest = row
    cuts = _Cuts(preview_chars)
    payload = ERASED if body is None else cuts.value(canonical.read(body))
    return EventRow(
        seq, kind, event_id, occurred_at, recorded_at, visibility, actor, payload, payload_len, digest.hex(),
        body is None, cuts.count,
    )  # fmt: skip


class _Cuts:
    """Cuts long strings of a JSON value and counts them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.count = 0

    def value(self, value: Any) -> Any:  # Any: a JSON value of open shape
        if isinstance(value, str) and len(value) > self.limit:
            self.count += 1
            return value[: self.limit] + "…"
        if isinstance(value, dict):
            return {key: self.value(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        return value
