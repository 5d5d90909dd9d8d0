"""Text search over payloads: hits are events, in their place, the newest read first. And how far reading is behind the log."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import connection
from django.utils import timezone

from contextapp.engine.sources.relevance import IDENTIFIER, tokens
from contextapp.evidence import canonical

MOST_WORDS = 24
EXCERPTED_BYTES = 256 * 1024
_HITS = """
SELECT reading.id, reading.session_id, reading.seq, reading.type, session.title, reading.tokens
FROM eventlog_reading AS reading JOIN eventlog_session AS session ON session.id = reading.session_id
WHERE reading.search @@ %(query)s::tsquery AND session.origin <> 'governance'
    AND reading.project_id = ANY(%(projects)s::uuid[]) AND reading.id < %(before)s
ORDER BY reading.id DESC LIMIT %(limit)s
"""
_BODIES = """
SELECT payload.session_id, payload.seq, payload.body
FROM unnest(%(sessions)s::uuid[], %(seqs)s::bigint[]) AS hit (session_id, seq)
JOIN eventlog_payload AS payload ON payload.session_id = hit.session_id AND payload.seq = hit.seq
WHERE octet_length(payload.body) <= %(most)s
"""
_LAG = """
SELECT coalesce(sum(head.head_seq - coalesce(mark.seq, 0)), 0), min(event.recorded_at)
FROM eventlog_head AS head LEFT JOIN eventlog_readingmark AS mark ON mark.session_id = head.session_id
    LEFT JOIN eventlog_event AS event ON event.session_id = head.session_id AND event.seq = coalesce(mark.seq, 0) + 1
WHERE head.head_seq > coalesce(mark.seq, 0) AND (%(projects)s::uuid[] IS NULL OR head.project_id = ANY(%(projects)s::uuid[]))
"""
_LAST = 2**62


@dataclass(frozen=True, slots=True)
class Hit:
    session_id: UUID
    seq: int
    type: str
    session_title: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Hits:
    """`words` are what was looked for: every one of them stands in each hit. No cursor: there is no more."""

    words: tuple[str, ...]
    hits: tuple[Hit, ...]
    next_cursor: int | None


def search_events(project_ids: Collection[UUID], text: str, *, before: int | None = None, limit: int = 50) -> Hits:
    """Events whose strings hold all words of the text: identifiers whole or in parts, Chinese by pairs of characters."""
    words = _words(text)
    if not words or not project_ids:
        return Hits(words, (), None)
    with connection.cursor() as cursor:
        cursor.execute(
            _HITS,
            {
                "query": " & ".join(_quoted(word) for word in words),
                "projects": list(project_ids),
                "before": before if before is not None else _LAST,
                "limit": limit + 1,
            },
        )
        rows = cursor.fetchall()
    hits = tuple(Hit(session_id, seq, kind, title, size) for _id, session_id, seq, kind, title, size in rows[:limit])
    return Hits(words, hits, rows[limit - 1][0] if len(rows) > limit else None)


def strings_of(hits: Sequence[Hit]) -> dict[tuple[UUID, int], tuple[str, ...]]:
    """What each hit says, in one question; nothing of payloads that are too large to read for a list."""
    with connection.cursor() as cursor:
        cursor.execute(
            _BODIES,
            {
                "sessions": [hit.session_id for hit in hits],
                "seqs": [hit.seq for hit in hits],
                "most": EXCERPTED_BYTES,
            },
        )
        rows = cursor.fetchall()
    return {(session, seq): tuple(canonical.strings(canonical.read(bytes(body)))) for session, seq, body in rows}


def _words(text: str) -> tuple[str, ...]:
    """The parts of an identifier stand in whatever holds it, the whole of it only where nothing is joined to it."""
    found = dict.fromkeys(tokens(text.replace("\0", " ")))
    parts = [word for word in found if not word.startswith(IDENTIFIER)]
    return tuple(parts or found)[:MOST_WORDS]


@dataclass(frozen=True, slots=True)
class Lag:
    """How far reading is behind: events, and the age of the oldest unread one; zero and None when nothing waits."""

    events: int
    oldest: timedelta | None


def derive_lag(project_ids: Collection[UUID] | None = None) -> Lag:
    """One statement, since pages that stay open ask it again and again. None: of the whole installation."""
    with connection.cursor() as cursor:
        cursor.execute(_LAG, {"projects": None if project_ids is None else list(project_ids)})
        behind, oldest = cursor.fetchone()
    return Lag(int(behind), None if oldest is None else timezone.now() - oldest)


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
