"""Text search over payloads: hits are events, in their place, the newest read first. And how far reading is behind the log."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import connection
from django.utils import timezone

from contextapp.engine.sources.relevance import tokens
from contextapp.eventlog.models import Event, Head, ReadingMark

MOST_WORDS = 24
_HITS = """
SELECT reading.id, reading.session_id, reading.seq, reading.type, session.title, reading.tokens
FROM eventlog_reading AS reading JOIN eventlog_session AS session ON session.id = reading.session_id
WHERE reading.search @@ %(query)s::tsquery AND reading.project_id = ANY(%(projects)s::uuid[]) AND reading.id < %(before)s
ORDER BY reading.id DESC LIMIT %(limit)s
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
    words = tuple(dict.fromkeys(tokens(text.replace("\0", " "))))[:MOST_WORDS]
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


@dataclass(frozen=True, slots=True)
class Lag:
    """How far reading is behind: events, and the age of the oldest unread one; zero and None when nothing waits."""

    events: int
    oldest: timedelta | None


def derive_lag(project_ids: Collection[UUID] | None = None) -> Lag:
    heads = Head.objects.all()
    if project_ids is not None:
        heads = heads.filter(project_id__in=project_ids)
    marks = dict(ReadingMark.objects.values_list("session_id", "seq"))
    behind = [
        (pk, head, marks.get(pk, 0))
        for pk, head in heads.values_list("session_id", "head_seq")
        if head > marks.get(pk, 0)
    ]
    if not behind:
        return Lag(0, None)
    unread = [
        Event.objects.filter(session_id=pk, seq=read + 1).values_list("recorded_at", flat=True).first()
        for pk, _head, read in behind[:500]
    ]
    oldest = min((moment for moment in unread if moment is not None), default=None)
    return Lag(sum(head - read for _pk, head, read in behind), None if oldest is None else timezone.now() - oldest)


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
