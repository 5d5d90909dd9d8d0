"""A log of many sessions with a correct chain, written by SQL and kept: the fixture of benchmarks that read a million events.

Each session has 100 events of about 1 KB. Only what is missing is written, so that a kept database serves again.
"""

from __future__ import annotations

from itertools import batched
from uuid import UUID, uuid4

from tests.benchmarks import report

EVENTS_EACH = 100
CHUNK_SESSIONS = 1_000
MARK = "bench:chained:"

_WRITTEN = """
CREATE TEMP TABLE written ON COMMIT DROP AS
WITH RECURSIVE chained AS (
    SELECT head.session_id, head.project_id, 0::bigint AS seq, NULL::uuid AS event_id, NULL::timestamptz AS at,
        NULL::bytea AS salt, NULL::bytea AS body, NULL::bytea AS commit, NULL::bytea AS prev_hash,
        head.head_hash AS hash
    FROM eventlog_head AS head WHERE head.session_id = ANY(%s)
    UNION ALL
    SELECT before.session_id, before.project_id, before.seq + 1, made.event_id, made.at, made.salt, made.body,
        committed.commit, before.hash,
        eventlog_event_hash(
            1, before.project_id, before.session_id, before.seq + 1, made.event_id, 'user.message', 1, 'model', NULL,
            made.at, 'benchmark', NULL, committed.commit, octet_length(made.body), before.hash
        )
    FROM chained AS before
    CROSS JOIN LATERAL (
        SELECT gen_random_uuid() AS event_id, '2026-01-01Z'::timestamptz + before.seq * interval '1 second' AS at,
            sha256(before.hash) AS salt, convert_to(
                '{"text":"' || repeat(encode(sha256(before.hash || uuid_send(before.session_id)), 'hex'), 16) || '"}',
                'UTF8'
            ) AS body
        OFFSET 0
    ) AS made
    CROSS JOIN LATERAL (SELECT sha256(made.salt || made.body) AS commit OFFSET 0) AS committed
    WHERE before.seq < %s
)
SELECT * FROM chained WHERE seq > 0
"""
_EVENTS = """
INSERT INTO eventlog_event (
    session_id, seq, event_id, project_id, type, schema_version, visibility, occurred_at, recorded_at, actor, api_key_id,
    payload_commit, payload_len, prev_hash, hash, hash_version
)
SELECT session_id, seq, event_id, project_id, 'user.message', 1, 'model', NULL, at, 'benchmark', NULL, commit,
    octet_length(body), prev_hash, hash, 1
FROM written ORDER BY session_id, seq
"""
_PAYLOADS = """
INSERT INTO eventlog_payload (session_id, seq, salt, body)
SELECT session_id, seq, salt, body FROM written ORDER BY session_id, seq
"""
_HEADS = """
UPDATE eventlog_head AS head SET head_seq = written.seq, head_hash = written.hash
FROM written WHERE written.session_id = head.session_id AND written.seq = %s
"""


def ensure(events: int) -> list[UUID]:
    """Sessions that together hold at least that many events. Wants Django set up on a migrated database."""
    from django.db import connection

    from contextapp.eventlog.models import Session

    found = list(Session.objects.filter(external_id__startswith=MARK).order_by("id").values_list("id", flat=True))
    missing = max(events // EVENTS_EACH - len(found), 0)
    for chunk in batched(range(len(found), len(found) + missing), CHUNK_SESSIONS):
        report.progress(f"writing sessions {chunk[0]:,} to {chunk[-1]:,}")
        found += _write(list(chunk))
    if missing:
        with connection.cursor() as cursor:
            for table in ("session", "head", "event", "payload"):
                cursor.execute(f"VACUUM (ANALYZE) eventlog_{table}")
    return found


def _write(numbers: list[int]) -> list[UUID]:
    from django.db import connection, transaction

    from contextapp.accounts.models import Project
    from contextapp.eventlog.models import Head, Session
    from contextapp.evidence.chain import GENESIS

    project, _ = Project.objects.get_or_create(slug="benchmark", defaults={"name": "Benchmark"})
    ids = [uuid4() for _ in numbers]
    with transaction.atomic(), connection.cursor() as cursor:
        Session.objects.bulk_create(
            [
                Session(id=key, project=project, origin="api", external_id=f"{MARK}{number}")
                for key, number in zip(ids, numbers, strict=True)
            ]
        )
        Head.objects.bulk_create([Head(session_id=key, project=project, head_hash=GENESIS) for key in ids])
        cursor.execute(_WRITTEN, [ids, EVENTS_EACH])
        cursor.execute(_EVENTS)
        cursor.execute(_PAYLOADS)
        cursor.execute(_HEADS, [EVENTS_EACH])
    return ids
