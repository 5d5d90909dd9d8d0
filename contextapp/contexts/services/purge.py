"""What erasure removes of this app: every row that was derived from the session's content, and blocks nobody else uses."""

from __future__ import annotations

from uuid import UUID

from contextapp.contexts.models import Block, BlockUse, Ledger, StateSnapshot, Step, Turn
from contextapp.contexts.services import recent
from contextapp.eventlog.models import Session


def purge_session(session_id: UUID) -> None:
    """Called by erasure, in its transaction. Figures that hold no content (counts by hash) stay."""
    recent.forget(session_id)
    Session.objects.filter(id=session_id).update(fill_series=[], guide=None)
    Ledger.objects.filter(session_id=session_id).delete()
    Step.objects.filter(session_id=session_id).delete()
    Turn.objects.filter(session_id=session_id).delete()
    StateSnapshot.objects.filter(session_id=session_id).delete()
    used = list(BlockUse.objects.filter(session_id=session_id).values_list("block_id", flat=True).distinct())
    BlockUse.objects.filter(session_id=session_id).delete()
    Block.objects.filter(id__in=used, uses=None).delete()
