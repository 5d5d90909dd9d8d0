"""Recomputes one session's chain inside the database and says where it first fails. Changes nothing.

Everything is checked against what is stored: hashes over every column, links, gaps, payload commitments, artifacts, the
head, and that a payload is absent only below a redaction.
"""

from __future__ import annotations

from uuid import UUID

from django.db import connection

from contextapp.eventlog.values import Verification
from contextapp.evidence.chain import GENESIS

# A redaction's range is read by pattern: a body that was tampered with must not stop the verification that finds it.
# An unescaped quote can't stand inside a string, so that only the key itself matches.
_ROWS = """
WITH chain AS (
    SELECT event.*,
        lag(event.seq, 1, 0::bigint) OVER (ORDER BY event.seq) AS previous_seq,
        lag(event.hash, 1, %(genesis)s::bytea) OVER (ORDER BY event.seq) AS previous_hash
    FROM eventlog_event AS event WHERE event.session_id = %(session)s
), redactions AS (
    SELECT event.seq AS at,
        substring(encode(payload.body, 'escape') FROM '"first_seq":(\\d{1,18})')::bigint AS first_seq,
        substring(encode(payload.body, 'escape') FROM '"last_seq":(\\d{1,18})')::bigint AS last_seq
    FROM eventlog_event AS event
    JOIN eventlog_payload AS payload ON payload.session_id = event.session_id AND payload.seq = event.seq
    WHERE event.session_id = %(session)s AND event.type = 'event.redacted'
), checked AS (
    SELECT chain.seq, payload.seq IS NULL AS is_absent,
        CASE
            WHEN chain.seq <> chain.previous_seq + 1 THEN 'gap before this event'
            WHEN chain.prev_hash <> chain.previous_hash THEN 'prev_hash is not the hash of the event before'
            WHEN chain.hash <> eventlog_row_hash(
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
    (array_agg(fault ORDER BY seq) FILTER (WHERE fault IS NOT NULL))[1],
    EXISTS (
        SELECT 1 FROM eventlog_payload AS stray WHERE stray.session_id = %(session)s AND NOT EXISTS (
            SELECT 1 FROM eventlog_event AS event WHERE event.session_id = stray.session_id AND event.seq = stray.seq
        )
    )
FROM checked
"""

_HEAD = """
SELECT head.head_seq, head.head_hash, last.seq, last.hash, session.project_id = head.project_id
FROM eventlog_head AS head
LEFT JOIN eventlog_session AS session ON session.id = head.session_id
LEFT JOIN LATERAL (
    SELECT seq, hash FROM eventlog_event WHERE session_id = head.session_id ORDER BY seq DESC LIMIT 1
) AS last ON true
WHERE head.session_id = %(session)s
"""

_ARTIFACT = """
SELECT uses.seq, CASE WHEN artifact.id IS NULL THEN 'an artifact of this event is missing'
    ELSE 'an artifact of this event does not match its SHA-256' END
FROM eventlog_artifactuse AS uses
LEFT JOIN eventlog_artifact AS artifact ON artifact.id = uses.artifact_id
WHERE uses.session_id = %(session)s AND (
    artifact.id IS NULL OR artifact.sha256 <> sha256(artifact.body) OR artifact.size_bytes <> octet_length(artifact.body)
)
ORDER BY uses.seq LIMIT 1
"""


def verify_chain(session_id: UUID) -> Verification:
    """`tampered` at the first fault; else `unanchored`, since a chain alone can't say more. Wants the caller's snapshot."""
    parameters: dict[str, UUID | bytes] = {"session": session_id, "genesis": GENESIS}
    with connection.cursor() as cursor:
        cursor.execute(_ROWS, parameters)
        events, erased, seq, fault, has_stray = cursor.fetchone()
        cursor.execute(_HEAD, parameters)
        head = cursor.fetchone()
        cursor.execute(_ARTIFACT, parameters)
        artifact = cursor.fetchone()
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
    if is_same_project is None:
        return Verification("tampered", events, erased, None, "the session itself is missing, its events are there")
    if not is_same_project:
        return Verification("tampered", events, erased, None, "the session was moved to another project")
    if has_stray:
        return Verification("tampered", events, erased, None, "there is a payload that belongs to no event")
    if artifact is not None:
        return Verification("tampered", events, erased, artifact[0], artifact[1])
    return Verification("unanchored", events, erased, head_seq=head_seq, head_hash=bytes(head_hash))
