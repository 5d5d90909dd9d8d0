"""After a turn of a live agent: is its transcript so full that it wants a summary? Asks for one and makes none."""

from __future__ import annotations

from contextapp.compaction.services import request_compaction
from contextapp.contexts.models import Ledger
from contextapp.contexts.models.ledgers import Origin
from contextapp.engine.projection.state import SessionState
from contextapp.eventlog.models import Session
from contextapp.policy.selectors import active_policy


def compact_if_crowded(session: Session, state: SessionState) -> bool:
    """By the newest build: its transcript passed the high-water mark, or history was left out for want of room. The job is one
    row of the caller's transaction. A build from before the summary in force says nothing any more."""
    newest = Ledger.objects.filter(session_id=session.id, origin=Origin.BUILT).order_by("-step_number")
    ledger = newest.only("header", "buckets").first()
    if ledger is None:
        return False
    mark = state.summary_mark
    if mark is not None and mark.seq > int(ledger.header.get("logSeq") or 0):
        return False
    bucket = ledger.buckets.get("transcript") or {}
    dropped = ((ledger.header.get("truncated") or {}).get("transcript") or {}).get("droppedEvents") or 0
    high = active_policy(session.project_id).high_mark
    is_full = 100 * int(bucket.get("used") or 0) >= high * int(bucket.get("allotted") or 0) > 0
    if not (dropped or is_full):
        return False
    request_compaction(session_id=session.id, project_id=session.project_id)
    return True
