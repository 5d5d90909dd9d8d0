"""What erasure removes of this app: whatever was derived from the erased content, and blocks nobody else uses."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from contextapp.contexts.models import Block, BlockUse, Ledger, LedgerBody, StateSnapshot, Step, Turn
from contextapp.contexts.packing import Body, pack_body, unpack_body
from contextapp.contexts.services import recent
from contextapp.engine.ledger import Row
from contextapp.eventlog.models import Session

ERASED = "erased"
# Rows that are put together from many events: whatever was erased may stand in them.
GATHERED = frozenset({"goal", "constraint", "state", "summary"})


def purge_session(session_id: UUID, first_seq: int = 1, last_seq: int | None = None) -> None:
    """Called by erasure, in its transaction. Figures that hold no content (counts by hash, tokens per bucket) stay."""
    recent.forget(session_id)
    if last_seq is None:
        _purge_all(session_id)
    else:
        _purge_range(session_id, first_seq, last_seq)


def _purge_all(session_id: UUID) -> None:
    Session.objects.filter(id=session_id).update(fill_series=[], guide=None)
    Ledger.objects.filter(session_id=session_id).delete()
    Step.objects.filter(session_id=session_id).delete()
    Turn.objects.filter(session_id=session_id).delete()
    StateSnapshot.objects.filter(session_id=session_id).delete()
    used = list(BlockUse.objects.filter(session_id=session_id).values_list("block_id", flat=True).distinct())
    BlockUse.objects.filter(session_id=session_id).delete()
    Block.objects.filter(id__in=used, uses=None).delete()


def _purge_range(session_id: UUID, first_seq: int, last_seq: int) -> None:
    """Ledgers keep their figures; the words of rows that show the events go, and the stored blocks with them."""
    Turn.objects.filter(session_id=session_id, first_seq__lte=last_seq, last_seq__gte=first_seq).update(title="")
    StateSnapshot.objects.filter(session_id=session_id, seq__gte=first_seq).delete()
    digests: set[str] = set()
    bodies = LedgerBody.objects.filter(ledger__session_id=session_id, ledger__step__log_seq__gte=first_seq)
    for stored in bodies.order_by("ledger_id").iterator(chunk_size=50):
        body = unpack_body(stored.rows)
        cleaned, shown = _cleaned(body, first_seq, last_seq)
        if cleaned is not body:
            digests |= shown
            LedgerBody.objects.filter(pk=stored.pk).update(rows=pack_body(cleaned))
    shows = BlockUse.objects.filter(session_id=session_id, first_seq__lte=last_seq, last_seq__gte=first_seq)
    wanted = {bytes.fromhex(digest) for digest in digests}
    gathered = BlockUse.objects.filter(session_id=session_id, block__sha256__in=wanted)
    ids = {*shows.values_list("block_id", flat=True), *gathered.values_list("block_id", flat=True)}
    BlockUse.objects.filter(session_id=session_id, block_id__in=ids).delete()
    Block.objects.filter(id__in=ids, uses=None).delete()


def _cleaned(body: Body, first_seq: int, last_seq: int) -> tuple[Body, set[str]]:
    """The body without words of these events, and the digests of the blocks that showed them; the same body if none did."""
    rows = tuple(_without_words(row) if _shows(row, first_seq, last_seq) else row for row in body.ledger.rows)
    if rows == body.ledger.rows:
        return body, set()
    touched = {row.block for row in body.ledger.rows if row.block and _shows(row, first_seq, last_seq)}
    return replace(body, ledger=replace(body.ledger, rows=rows)), touched


def _shows(row: Row, first_seq: int, last_seq: int) -> bool:
    if row.is_figure:
        return False
    if row.events is None:
        return row.source_kind in GATHERED
    return (row.events[0] <= last_seq and row.events[1] >= first_seq) or row.source_kind in GATHERED


def _without_words(row: Row) -> Row:
    return replace(row, title="", detail=ERASED)
