"""Recomputes a session's chain inside the database and says where it first fails. Changes nothing.

Everything is checked against what is stored: hashes over every column, links, gaps, payload commitments, the head, and
that a payload is absent only below a redaction.
"""

from __future__ import annotations

from uuid import UUID

from django.db import connection, transaction

from contextapp.eventlog.values import Verification
from contextapp.evidence.chain import GENESIS

_ROWS = """
WITH chain AS (
    SELECT event.*,
        lag(event.seq, 1, 0::bigint) OVER (ORDER BY event.seq) AS previous_seq,
        lag(event.hash, 1, %(genesis)s::bytea) OVER (ORDER BY event.seq) AS previous_hash
    FROM eventlog_event AS event WHERE event.session_id = %(session)s
), redactions AS (
    SELECT event.seq AS at,
        (convert_from(payload.body, 'UTF8')::json ->> 'first_seq')::bigint AS first_seq,
        (convert_from(payload.body, 'UTF8')::json ->> 'last_seq')::bigint AS last_seq
    FROM eventlog_event AS event
    JOIN eventlog_payload AS payload ON payload.session_id = event.session_id AND payload.seq = event.seq
    WHERE event.session_id = %(session)s AND event.type = 'event.redacted'
), checked AS (
    SELECT chain.seq, payload.seq IS NULL AS is_absent,
        CASE
            WHEN chain.seq <> chain.previous_seq + 1 THEN 'gap before this event'
            WHEN chain.prev_hash <> chain.previous_hash THEN 'prev_hash is not the hash of the event before'
            WHEN chain.hash <> eventlog_event_hash(
                chain.hash_version, chain.project_id, chain.session_id, chain.seq, chain.event_id, chain.type,
                chain.schema_version, chain.visibility, chain.occurred_at, chain.recorded_at, chain.actor,
                chain.api_key_id, chain.payload_commit, chain.payload_len, chain.prev_hash
            ) THEN 'hash does not match the columns'
            WHEN payload.seq IS NULL AND NOT EXISTS (
                SELECT 1 FROM redactions
                WHERE chain.seq BETWEEN redactions.first_seq AND redactions.last_seq AND redactions.at > chain.seq
            ) THEN 'payload is missing without a redaction'
            WHEN payload.seq IS NOT NULL AND (
                octet_length(payload.body) <> chain.payload_len
                OR sha256(payload.salt || payload.body) <> chain.payload_commit
            ) THEN 'payload does not match its commitment'
        END AS fault
    FROM chain
    LEFT JOIN eventlog_payload AS payload ON payload.session_id = chain.session_id AND payload.seq = chain.seq
)
SELECT count(*), count(*) FILTER (WHERE is_absent), min(seq) FILTER (WHERE fault IS NOT NULL),
    (array_agg(fault ORDER BY seq) FILTER (WHERE fault IS NOT NULL))[1]
FROM checked
"""

_HEAD = """
SELECT head.head_seq, head.head_hash, last.seq, last.hash, session.project_id = head.project_id
FROM eventlog_head AS head
JOIN eventlog_session AS session ON session.id = head.session_id
LEFT JOIN LATERAL (
    SELECT seq, hash FROM eventlog_event WHERE session_id = head.session_id ORDER BY seq DESC LIMIT 1
) AS last ON true
WHERE head.session_id = %(session)s
"""


def verify_chain(session_id: UUID) -> Verification:
    """One snapshot of the session, checked whole; appends may go on meanwhile."""
    parameters: dict[str, UUID | bytes] = {"session": session_id, "genesis": GENESIS}
    with transaction.atomic(), connection.cursor() as cursor:
        if len(connection.savepoint_ids) == 0:  # ours is the transaction: one snapshot for both statements
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute(_ROWS, parameters)
        events, erased, seq, fault = cursor.fetchone()
        cursor.execute(_HEAD, parameters)
        head = cursor.fetchone()
    if seq is not None:
        return Verification("tampered", events, erased, seq, fault)
    if head is None:
        return Verification("tampered", events, erased, None, "the session has no head")
    head_seq, head_hash, last_seq, last_hash, is_same_project = head
    if head_seq != (last_seq or 0):
        what = f"the head stands at {head_seq}, the last event is {last_seq or 0}"
        return Verification("tampered", events, erased, min(head_seq, last_seq or 0) + 1, what)
    if bytes(head_hash) != (GENESIS if last_hash is None else bytes(last_hash)):
        return Verification("tampered", events, erased, head_seq, "head_hash is not the hash of the last event")
    if not is_same_project:
        return Verification("tampered", events, erased, None, "the session was moved to another project")
    return Verification("verified", events, erased)
