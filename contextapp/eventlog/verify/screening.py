"""Checks many sessions in a few statements and names those that need a closer look. Says nothing about where they fail.

The planner may use every core it has: hashes and payloads in one statement, links in one that reads the index in order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from django.db import connection

from contextapp.evidence.chain import GENESIS
from contextapp.evidence.merkle import KnownHead

_IS_BAD = """
    event.hash IS DISTINCT FROM eventlog_row_hash(
        event.hash_version, event.project_id, event.session_id, event.seq, event.event_id, event.type,
        event.schema_version, event.visibility, event.occurred_at, event.recorded_at, event.actor, event.api_key_id,
        event.payload_commit, event.payload_len, event.prev_hash
    )
    OR (payload.seq IS NOT NULL AND (
        octet_length(payload.body) <> event.payload_len
        OR sha256(payload.salt || payload.body) <> event.payload_commit
    ))
"""
_ROWS = f"""
SELECT event.session_id, count(*), count(*) FILTER (WHERE payload.seq IS NULL), min(event.seq), max(event.seq),
    bool_or({_IS_BAD})
FROM eventlog_event AS event
LEFT JOIN eventlog_payload AS payload ON payload.session_id = event.session_id AND payload.seq = event.seq
GROUP BY event.session_id
"""  # noqa: S608  put together from our own constants
_ROWS_SINCE = f"""
SELECT since.session_id, count(*), count(*) FILTER (WHERE payload.seq IS NULL), min(event.seq), max(event.seq),
    bool_or({_IS_BAD} OR event.prev_hash IS DISTINCT FROM event.previous_hash)
FROM unnest(%b::uuid[], %b::bigint[], %b::bytea[]) AS since (session_id, seq, hash)
JOIN LATERAL (
    SELECT found.*, lag(found.hash, 1, since.hash) OVER (ORDER BY found.seq) AS previous_hash
    FROM eventlog_event AS found WHERE found.session_id = since.session_id AND found.seq > since.seq
) AS event ON true
LEFT JOIN eventlog_payload AS payload ON payload.session_id = event.session_id AND payload.seq = event.seq
GROUP BY since.session_id
"""  # noqa: S608  put together from our own constants
_BROKEN_LINKS = """
SELECT DISTINCT session_id FROM (
    SELECT session_id, prev_hash, lag(hash, 1, %b::bytea) OVER (PARTITION BY session_id ORDER BY seq) AS previous_hash
    FROM eventlog_event
) AS linked
WHERE prev_hash IS DISTINCT FROM previous_hash
"""
_HEADS = """
SELECT coalesce(session.id, head.session_id), head.head_seq, head.head_hash,
    session.id IS NOT NULL AND head.session_id IS NOT NULL AND session.project_id = head.project_id
        AND (head.head_seq = 0 OR last.hash IS NOT DISTINCT FROM head.head_hash)
FROM eventlog_session AS session
FULL JOIN eventlog_head AS head ON head.session_id = session.id
LEFT JOIN eventlog_event AS last ON last.session_id = head.session_id AND last.seq = head.head_seq
"""
# From the small tables alone; the planner would otherwise read every event to look at a few.
_MOVED_HEADS = """
SELECT head.session_id, head.head_seq, head.head_hash, coalesce(known.seq, 0), known.hash,
    session.project_id IS NOT DISTINCT FROM head.project_id AND coalesce(known.seq, 0) <= head.head_seq
        AND coalesce(known.verdict NOT IN ('tampered', 'diverged'), true)
FROM eventlog_head AS head
LEFT JOIN eventlog_session AS session ON session.id = head.session_id
LEFT JOIN eventlog_sessionverification AS known ON known.session_id = head.session_id
LEFT JOIN (
    SELECT session_id, max(checkpoint_id) AS number FROM eventlog_checkpointhead
    WHERE checkpoint_id > (SELECT coalesce(min(checkpoint), 0) FROM eventlog_sessionverification)
    GROUP BY session_id
) AS covering ON covering.session_id = head.session_id
WHERE known.session_id IS NULL OR known.verdict <> 'verified' OR known.seq <> head.head_seq
    OR known.hash <> head.head_hash OR covering.number > coalesce(known.checkpoint, 0)
"""
_ASTRAY = """
SELECT known.session_id, known.seq
FROM unnest(%b::uuid[], %b::bigint[], %b::bytea[]) AS known (session_id, seq, hash)
LEFT JOIN eventlog_event AS event ON event.session_id = known.session_id AND event.seq = known.seq
WHERE event.hash IS DISTINCT FROM known.hash ORDER BY known.session_id, known.seq
"""
_UNREDACTED = """
WITH redactions AS MATERIALIZED (
    SELECT event.session_id, event.seq AS at,
        substring(encode(payload.body, 'escape') FROM '"first_seq":(\\d{1,18})')::bigint AS first_seq,
        substring(encode(payload.body, 'escape') FROM '"last_seq":(\\d{1,18})')::bigint AS last_seq
    FROM eventlog_event AS event
    JOIN eventlog_payload AS payload ON payload.session_id = event.session_id AND payload.seq = event.seq
    WHERE event.type = 'event.redacted' AND event.session_id = ANY(%b)
)
SELECT DISTINCT event.session_id
FROM eventlog_event AS event
LEFT JOIN eventlog_payload AS payload ON payload.session_id = event.session_id AND payload.seq = event.seq
WHERE event.session_id = ANY(%b) AND payload.seq IS NULL AND NOT EXISTS (
    SELECT 1 FROM redactions
    WHERE redactions.session_id = event.session_id AND redactions.at > event.seq
        AND event.seq BETWEEN redactions.first_seq AND redactions.last_seq
)
"""
_STRAYS = """
SELECT DISTINCT payload.session_id FROM eventlog_payload AS payload
LEFT JOIN eventlog_event AS event ON event.session_id = payload.session_id AND event.seq = payload.seq
WHERE event.seq IS NULL
"""
_ARTIFACTS = """
SELECT DISTINCT uses.session_id FROM eventlog_artifactuse AS uses
LEFT JOIN eventlog_artifact AS artifact ON artifact.id = uses.artifact_id
WHERE artifact.id IS NULL OR uses.artifact_id IN (
    SELECT id FROM eventlog_artifact WHERE sha256 <> sha256(body) OR size_bytes <> octet_length(body)
)
"""


@dataclass(slots=True)
class Stand:
    """One session as the statements found it. `events` counts what was read now, `since` what was good before."""

    head_seq: int
    head_hash: bytes
    is_good: bool
    events: int = 0
    erased: int = 0
    since: int = 0


def everything() -> dict[UUID, Stand]:
    """Every session there is, each event of it checked."""
    found = {
        session_id: Stand(head_seq or 0, head_hash or GENESIS, bool(is_good))
        for session_id, head_seq, head_hash, is_good in select(_HEADS)
    }
    for session_id, events, erased, first, last, is_bad in select(_ROWS):
        stand = found.setdefault(session_id, Stand(0, GENESIS, False))
        stand.events, stand.erased = events, erased
        if is_bad or first != 1 or last != events or last != stand.head_seq:
            stand.is_good = False
    for stand in found.values():
        stand.is_good = stand.is_good and stand.events == stand.head_seq
    suspects = [session_id for (session_id,) in select(_BROKEN_LINKS, (GENESIS,))]
    suspects += [session_id for (session_id,) in select(_STRAYS)]
    suspects += [session_id for (session_id,) in select(_ARTIFACTS)]
    erased_in = [session_id for session_id, stand in found.items() if stand.erased]
    if erased_in:
        suspects += [session_id for (session_id,) in select(_UNREDACTED, (erased_in, erased_in))]
    for session_id in suspects:
        found.setdefault(session_id, Stand(0, GENESIS, False)).is_good = False
    return found


def changed() -> dict[UUID, Stand]:
    """The sessions that are not where the last verification left them, and only what was added to them since."""
    found: dict[UUID, Stand] = {}
    present: list[KnownHead] = []
    known: list[KnownHead] = []
    for session_id, head_seq, head_hash, seq, known_hash, is_good in select(_MOVED_HEADS):
        found[session_id] = Stand(head_seq, head_hash, is_good, since=seq)
        present.append(KnownHead(session_id, head_seq, head_hash))
        known.append(KnownHead(session_id, seq, known_hash if seq else GENESIS))
    if not found:
        return found
    for session_id, _ in astray(present) + astray(known):
        found[session_id].is_good = False
    for session_id, events, erased, first, last, is_bad in select(_ROWS_SINCE, columns(known)):
        stand = found[session_id]
        stand.events, stand.erased = events, erased
        if is_bad or first != stand.since + 1 or last - first + 1 != events or last != stand.head_seq:
            stand.is_good = False
    for stand in found.values():
        stand.is_good = stand.is_good and stand.since + stand.events == stand.head_seq
    erased_in = [session_id for session_id, stand in found.items() if stand.erased]
    if erased_in:
        for (session_id,) in select(_UNREDACTED, (erased_in, erased_in)):
            found[session_id].is_good = False
    return found


def astray(heads: Iterable[KnownHead]) -> list[tuple[UUID, int]]:
    """Of the given heads, session and seq of those that are not part of their chain; each session from its lowest."""
    parameters = columns(head for head in heads if head.seq)
    return [(session_id, seq) for session_id, seq in select(_ASTRAY, parameters)] if parameters[0] else []


def columns(heads: Iterable[KnownHead]) -> tuple[list[UUID], list[int], list[bytes]]:
    """Heads as the three arrays that `unnest` takes."""
    listed = list(heads)
    return [head.session_id for head in listed], [head.seq for head in listed], [head.hash for head in listed]


def select(statement: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # Any: columns of the statement
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement, parameters, binary=True).fetchall()
