"""Carries redactions over the restore of an old backup: what was erased since must be erased again before anybody reads.

The list holds ids, ranges, reasons and names, never content. It is made from the log, or kept beside each backup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contextapp.engine.events import EVENT_REDACTED
from contextapp.eventlog.eraser import as_eraser
from contextapp.eventlog.models import Event, Head, Payload, Session
from contextapp.eventlog.selectors import get_events
from contextapp.eventlog.services.erasure import erase_events, erase_session


@dataclass(frozen=True, slots=True)
class Replayed:
    """`applied` redactions removed something now; `present` were in force already; `missing` name sessions not here."""

    applied: int
    present: int
    missing: int


def list_redactions() -> Iterator[dict[str, Any]]:
    """Each redaction of the log as a JSON object, the oldest first within its session."""
    erased = {str(pk) for pk in Session.objects.exclude(erased_at=None).values_list("id", flat=True)}
    for session_id, seq in (
        Event.objects.filter(type=EVENT_REDACTED).order_by("session_id", "seq").values_list("session_id", "seq")
    ):
        [event] = get_events(session_id, seqs=[seq])
        payload = event.payload
        yield {
            "session": str(session_id),
            "first_seq": payload["first_seq"],
            "last_seq": payload["last_seq"],
            "reason": payload["reason"],
            "by": payload["by"],
            "whole": str(session_id) in erased and payload["first_seq"] == 1,
        }


@as_eraser()
def replay_redactions(redactions: Iterable[dict[str, Any]], *, actor: str) -> Replayed:
    """Erase again what the list names and is there. Ranges beyond the restored head are cut to it: the rest is not here."""
    applied = present = missing = 0
    for redaction in redactions:
        session_id = UUID(redaction["session"])
        head = Head.objects.filter(session_id=session_id).first()
        if head is None:
            missing += 1
            continue
        first, last = int(redaction["first_seq"]), min(int(redaction["last_seq"]), head.head_seq)
        still_there = Payload.objects.filter(session_id=session_id, seq__range=(first, last))
        content = Event.objects.filter(session_id=session_id, seq__in=still_there.values("seq")).exclude(
            type=EVENT_REDACTED
        )
        if first > last or not content.exists():
            present += 1
            continue
        reason = f"{redaction['reason']} (erased before by {redaction['by']}, replayed after a restore)"
        if redaction.get("whole"):
            erase_session(session_id=session_id, reason=reason, actor=actor)
        else:
            erase_events(session_id=session_id, first_seq=first, last_seq=last, reason=reason, actor=actor)
        applied += 1
    return Replayed(applied, present, missing)
