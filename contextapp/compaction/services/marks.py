"""Keeps the list of a session's compactions in step with its log. Never writes a summary of its own."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from contextapp.compaction.models import Compaction, Failure
from contextapp.engine.events import COMPACTION_FAILED, COMPACTION_WITHDRAWN, SESSION_COMPACTED, Event
from contextapp.eventlog.models import Event as EventRecord
from contextapp.eventlog.selectors import get_events

UNNAMED = "harness"  # a summary whose writer the transcript does not name


def record_marks(session_id: UUID, events: Iterable[Event]) -> None:
    """One row per compaction; a summary that follows a boundary completes its row. Doing it again changes nothing."""
    with transaction.atomic():
        for event in events:
            if event.type == SESSION_COMPACTED and event.payload.get("part") != "cleared":
                _record(session_id, event)
            elif event.type == COMPACTION_FAILED:
                _record_failure(session_id, event)
            elif event.type == COMPACTION_WITHDRAWN:
                _record_withdrawal(session_id, event)


def purge_session(session_id: UUID, first_seq: int = 1, last_seq: int | None = None) -> None:
    """What erasure removes here, in its transaction: of single events what was said to survive of them, else all."""
    if last_seq is None:
        Compaction.objects.filter(session_id=session_id).delete()
        Failure.objects.filter(session_id=session_id).delete()
    else:  # names of what survived are words of the events
        shown = Compaction.objects.filter(session_id=session_id)
        for row in shown.exclude(survival=[]):
            kept = [fate for fate in row.survival if not first_seq <= int(fate.get("seq") or 0) <= last_seq]
            if kept != row.survival:
                row.survival = kept
                row.save(update_fields=["survival"])


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
            "fallback": _text(payload.get("fallback"), 200),
            "survival": _survival(payload.get("survival")),
        },
    )


def _record_failure(session_id: UUID, event: Event) -> None:
    payload = event.payload
    Failure.objects.get_or_create(
        session_id=session_id,
        seq=event.seq,
        defaults={
            "covers_to": _covers(event)[1],
            "code": _text(payload.get("reason"), 40),
            "detail": _text(payload.get("detail"), 500),
            "trigger": _text(payload.get("trigger"), 40),
            "summariser": _text(payload.get("by"), 60),
            "before_tokens": _tokens(payload.get("before_tokens")),
            "after_tokens": _tokens(payload.get("after_tokens")),
        },
    )


def _record_withdrawal(session_id: UUID, event: Event) -> None:
    seq = event.payload.get("seq")
    if type(seq) is int:
        counting = Compaction.objects.filter(session_id=session_id, seq=seq, withdrawn_seq=None)
        counting.update(withdrawn_seq=event.seq, withdrawn_reason=_text(event.payload.get("reason"), 300))


def _survival(value: object) -> list[dict[str, object]]:
    """The fates as ours are written; of another writer's whatever has their form."""
    found = []
    for entry in value if isinstance(value, (list, tuple)) else ():
        if isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in ("kind", "name", "fate")):
            seq = entry.get("seq")
            found.append(
                {
                    "kind": _text(entry["kind"], 20),
                    "name": _text(entry["name"], 300),
                    "seq": seq if type(seq) is int and 0 <= seq < 2**53 else 0,
                    "fate": _text(entry["fate"], 20),
                }
            )
    return found[:500]


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
