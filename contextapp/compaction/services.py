"""Keeps the list of a session's compactions in step with its log. Never writes a summary of its own."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from contextapp.compaction.models import Compaction
from contextapp.engine.events import SESSION_COMPACTED, Event
from contextapp.eventlog.models import Event as EventRecord
from contextapp.eventlog.selectors import get_events

UNNAMED = "harness"  # a summary whose writer the transcript does not name


def record_marks(session_id: UUID, events: Iterable[Event]) -> None:
    """One row per compaction; a summary that follows a boundary completes its row. Doing it again changes nothing."""
    with transaction.atomic():
        for event in events:
            if event.type == SESSION_COMPACTED and event.payload.get("part") != "cleared":
                _record(session_id, event)


def purge_session(session_id: UUID, first_seq: int = 1, last_seq: int | None = None) -> None:
    """What erasure removes here, in its transaction. A row holds figures and no words: those of single events stay."""
    if last_seq is None:
        Compaction.objects.filter(session_id=session_id).delete()


def _record(session_id: UUID, event: Event) -> None:
    payload = event.payload
    is_summary = payload.get("part") == "summary"
    if is_summary and not str(payload.get("summary") or "").strip():
        return
    if is_summary and (boundary := _boundary_before(session_id, event.seq)) is not None:
        boundary.summariser = _text(payload.get("by"), 60) or UNNAMED
        boundary.after_tokens = _tokens(payload.get("after_tokens")) or boundary.after_tokens
        boundary.save(update_fields=["summariser", "after_tokens"])
        return
    first, last = _covers(event)
    Compaction.objects.get_or_create(
        session_id=session_id,
        seq=event.seq,
        defaults={
            "covers_from": first,
            "covers_to": last,
            "trigger": _text(payload.get("trigger"), 40),
            "summariser": "" if payload.get("part") == "boundary" else _text(payload.get("by"), 60) or UNNAMED,
            "before_tokens": _tokens(payload.get("before_tokens")),
            "after_tokens": _tokens(payload.get("after_tokens")),
        },
    )


def _boundary_before(session_id: UUID, seq: int) -> Compaction | None:
    """The row of the compaction event just before, if that is a boundary: then this summary is its own."""
    latest = Compaction.objects.filter(session_id=session_id, seq__lt=seq).order_by("-seq").first()
    if latest is None:
        return None
    between = EventRecord.objects.filter(session_id=session_id, type=SESSION_COMPACTED, seq__gt=latest.seq, seq__lt=seq)
    [event] = get_events(session_id, seqs=[latest.seq])
    return None if event.payload.get("part") != "boundary" or between.exists() else latest


def _covers(event: Event) -> tuple[int, int]:
    """The range a compaction stands for; without one in the payload, everything before it."""
    covers = event.payload.get("covers")
    if isinstance(covers, (list, tuple)) and len(covers) == 2 and all(type(seq) is int and seq > 0 for seq in covers):
        return min(covers[0], event.seq), min(covers[1], event.seq)
    return 1, max(event.seq - 1, 1)


def _text(value: object, limit: int) -> str:
    return value.replace("\0", "")[:limit] if isinstance(value, str) else ""


def _tokens(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 2**31 else None
