"""A step as its page shows it: header, bars, rows by bucket under a filter, one row opened. Sums are checked, never assumed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.contexts.errors import NotFound
from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.packing import Body, unpack_body
from contextapp.contexts.pieces import piece_of
from contextapp.contexts.rows import facets, grouped, passes, shown_rows
from contextapp.contexts.selectors.ledgers import find_ledger, need_ledger, origins_of_step
from contextapp.contexts.selectors.sessions import session_page
from contextapp.contexts.values import LedgerFilter, LedgerView, Residue, RowDetail, StepPage, Usage
from contextapp.eventlog import selectors as log

DETAIL_EVENTS = 6
NO_FILTER = LedgerFilter()


def step_page(
    session_id: UUID, number: int, *, origin: str | None = None, filters: LedgerFilter = NO_FILTER
) -> StepPage:
    session = session_page(session_id)
    step = Step.objects.select_related("turn").filter(session_id=session_id, number=number).first()
    if step is None:
        raise NotFound(
            _("this session has %(count)s steps; there is no step %(number)s")
            % {"count": session.step_count, "number": number}
        )
    ledger = find_ledger(session_id, number, origin)
    shown_origin = ledger.origin if ledger is not None else origin or session.default_origin
    return StepPage(
        session=session,
        step_id=step.id,
        number=number,
        turn=step.turn.number,
        phase=step.phase,
        model=step.model or session.model,
        log_seq=step.log_seq,
        first_seq=step.first_seq,
        last_seq=step.last_seq,
        started_at=step.started_at,
        marks=tuple(step.marks),
        usage=usage_of(step.usage),
        previous=number - 1 if number > 1 else None,
        next=number + 1 if number < session.step_count else None,
        origin=shown_origin,
        origins=origins_of_step(session_id, number),
        ledger=view_of(ledger, unpack_body(ledger.body.rows), filters) if ledger is not None else None,
        message="" if ledger is not None else _missing(shown_origin, number),
    )


def view_of(ledger: Ledger, body: Body, filters: LedgerFilter) -> LedgerView:
    engine = body.ledger
    rows = shown_rows(engine.rows, ledger.total_tokens)
    shown = [row for row in rows if passes(row, filters)]
    reserve = int(ledger.buckets.get("reserve", {}).get("used", 0))
    header = ledger.header
    return LedgerView(
        ledger_id=ledger.id,
        origin=ledger.origin,
        verdict=ledger.verdict,
        policy_number=ledger.policy_number,
        engine_version=ledger.engine_version,
        tokenizer=str(header.get("tokenizer", "")),
        method=body.method,
        calibration=int(header.get("calibration") or 0),
        window_tokens=ledger.window_tokens,
        total_tokens=ledger.total_tokens,
        request_tokens=ledger.total_tokens - reserve,
        reserve_tokens=reserve,
        floor_tokens=engine.floor_tokens,
        overhead_tokens=engine.overhead_tokens,
        margin_tokens=engine.margin_tokens,
        cached_prefix_tokens=engine.cached_prefix_tokens,
        residue=residue_of(ledger.residue),
        groups=grouped(rows, ledger.buckets, filters),
        included_count=len(engine.included),
        excluded_count=len(engine.excluded),
        shown_count=len(shown),
        reasons=facets(row.reason for row in engine.rows),
        trusts=facets(row.trust for row in engine.rows),
        kinds=facets(row.source_kind for row in engine.rows),
        sum_difference=engine.difference,
        request_sha256=ledger.request_sha256,
        inputs_sha256=ledger.inputs_sha256,
        overflow=body.overflow,
    )


def usage_of(stored: Mapping[str, Any] | None) -> Usage | None:
    if not stored:
        return None
    names = ("input_uncached", "cache_read", "cache_write", "output", "reasoning")
    return Usage(**{name: int(stored.get(name) or 0) for name in names}, quality=str(stored.get("quality", "")))


def residue_of(stored: Mapping[str, Any]) -> Residue | None:
    if not stored:
        return None
    return Residue(
        billed=stored.get("billed"),
        preamble=int(stored.get("preamble") or 0),
        correction=int(stored.get("correction") or 0),
        unexplained=int(stored.get("unexplained") or 0),
    )


def row_detail(session_id: UUID, number: int, *, origin: str | None = None, key: str) -> RowDetail:
    """The first events of the row with their texts, and the row that took its place."""
    ledger, body = need_ledger(session_id, number, origin)
    rows = shown_rows(body.ledger.rows, ledger.total_tokens)
    found = next((shown for shown in rows if shown.key == key), None)
    if found is None:
        raise NotFound(_("this ledger has no row %(key)s") % {"key": key})
    first, last = found.row.events or (0, 0)
    events = log.get_events(session_id, after_seq=first - 1, upto_seq=last, limit=DETAIL_EVENTS) if first else []
    displacer = found.row.displaced_by
    return RowDetail(
        row=found,
        pieces=tuple(piece_of(event) for event in events),
        total_events=last - first + 1 if first else 0,
        displaced_by=next((shown for shown in rows if shown.row.source_id == displacer), None) if displacer else None,
    )


def _missing(origin: str, number: int) -> str:
    if origin == "built":
        return _("Step %(number)s was recorded, not built here: nothing was handed to an agent.") % {"number": number}
    if origin == "observed":
        return _("No observed ledger of step %(number)s: the session is still being read, or it was not imported.") % {
            "number": number
        }
    return _("Step %(number)s has not been simulated yet.") % {"number": number}
