"""Whether another compaction may be tried. Judges by what the last ones saved and what came since, never by their number."""

from __future__ import annotations

from uuid import UUID

from contextapp.compaction.models import Compaction, Failure
from contextapp.engine.projection.state import SessionState

TRIES = 3
LEAST_SAVED_PERCENT = 10
REST_EVENTS = 200  # new events after which it is worth another look


def is_tired(session_id: UUID, state: SessionState) -> str:
    """Why no further one is tried now; empty when one may be."""
    tried = sorted([*_compactions(session_id), *_failures(session_id)], reverse=True)[:TRIES]
    if len(tried) < TRIES or any(saved >= LEAST_SAVED_PERCENT for _, saved in tried):
        return ""
    newest = tried[0][0]
    if state.seq - newest >= REST_EVENTS:
        return ""
    return (
        f"the last {TRIES} saved less than {LEAST_SAVED_PERCENT} percent each, the newest at event {newest}; "
        f"tried again after {REST_EVENTS} more events"
    )


def _compactions(session_id: UUID) -> list[tuple[int, int]]:
    """(event, percent saved) of the newest of ours."""
    rows = Compaction.objects.filter(session_id=session_id, before_tokens__gt=0, after_tokens__isnull=False)
    newest = rows.order_by("-seq").values_list("seq", "before_tokens", "after_tokens", "withdrawn_seq")[:TRIES]
    return [
        (seq, 0 if withdrawn else 100 * ((before or 1) - (after or 0)) // (before or 1))
        for seq, before, after, withdrawn in newest
    ]


def _failures(session_id: UUID) -> list[tuple[int, int]]:
    newest = Failure.objects.filter(session_id=session_id).order_by("-seq").values_list("seq", flat=True)[:TRIES]
    return [(seq, 0) for seq in newest]
