"""The folded state of a log prefix: the nearest snapshot and the few events after it, never the whole session."""

from __future__ import annotations

from uuid import UUID

from contextapp.contexts.models import StateSnapshot
from contextapp.contexts.packing import unpack_state
from contextapp.engine.projection.fold import Fold
from contextapp.engine.projection.state import FOLD_VERSION, SessionState
from contextapp.eventlog import selectors as log

PAGE_EVENTS = 500


def nearest_snapshot(session_id: UUID, seq: int) -> SessionState:
    """The state of the longest prefix up to `seq` that was kept; the empty state when none was."""
    found = (
        StateSnapshot.objects.filter(session_id=session_id, seq__lte=seq, fold_version=FOLD_VERSION)
        .order_by("-seq")
        .values_list("body", flat=True)
        .first()
    )
    return SessionState() if found is None else unpack_state(found)


def state_upto(session_id: UUID, seq: int) -> SessionState:
    """The fold of the events 1..seq."""
    return state_from(nearest_snapshot(session_id, seq), session_id, seq)


def state_from(state: SessionState, session_id: UUID, seq: int) -> SessionState:
    """The state after further events. Reads in pages, so that a session without snapshots costs time and not memory."""
    fold = Fold(state)
    after = state.seq
    while after < seq:
        page = log.get_events(session_id, after_seq=after, upto_seq=seq, limit=PAGE_EVENTS)
        if not page:
            break
        for event in page:
            fold.feed(event)
        after = page[-1].seq
    return fold.state()
