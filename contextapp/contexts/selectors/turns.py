"""A turn as its page shows it: the chart over its steps, the steps, and the reasons of all their ledgers added up."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.contexts.errors import NotFound
from contextapp.contexts.models import LedgerBody, Step, Turn
from contextapp.contexts.packing import Body, unpack_body
from contextapp.contexts.selectors.sessions import chart_series, session_page
from contextapp.contexts.values import Chart, ReasonSum, StepLink, TurnPage

MOST_LEDGERS = 120  # of the newest steps; the page says over how many its reasons are


def turn_page(session_id: UUID, number: int, origin: str | None = None) -> TurnPage:
    session = session_page(session_id)
    turn = Turn.objects.filter(session_id=session_id, number=number).first()
    if turn is None:
        raise NotFound(
            _("this session has %(count)s turns; there is no turn %(number)s")
            % {"count": session.turn_count, "number": number}
        )
    shown_origin = origin or session.default_origin
    chart = chart_series(session_id, shown_origin, turn=number)
    neighbours = Turn.objects.filter(session_id=session_id).order_by("number").values_list("number", flat=True)
    bodies = (
        LedgerBody.objects.filter(ledger__step__turn=turn, ledger__origin=shown_origin)
        .order_by("-ledger__step_number", "-ledger__id")
        .values_list("ledger__step_number", "rows")[:MOST_LEDGERS]
    )
    newest: dict[int, Body] = {}
    for step, rows in bodies:
        newest.setdefault(step, unpack_body(rows))
    return TurnPage(
        session=session,
        number=number,
        title=turn.title,
        started_at=turn.started_at,
        first_seq=turn.first_seq,
        last_seq=turn.last_seq,
        previous=neighbours.filter(number__lt=number).last(),
        next=neighbours.filter(number__gt=number).first(),
        chart=chart,
        steps=_links(turn, chart),
        reasons=merged_reasons(newest.values()),
        reasons_over=len(newest),
        origin=shown_origin,
    )


def merged_reasons(bodies: Iterable[Body]) -> tuple[ReasonSum, ...]:
    """Included reasons by the tokens they hold, then excluded ones by the tokens they kept out."""
    sums: dict[tuple[str, bool], list[int]] = {}
    for body in bodies:
        seen = set()
        for row in body.ledger.rows:
            if row.is_figure:
                continue
            key = (row.reason, row.is_included)
            entry = sums.setdefault(key, [0, 0, 0, 0])
            entry[0] += row.count
            entry[1] += key not in seen
            entry[2] += row.before_tokens
            entry[3] += row.after_tokens
            seen.add(key)
    merged = [ReasonSum(reason, included, *figures) for (reason, included), figures in sums.items()]
    return tuple(
        sorted(
            merged, key=lambda each: (not each.is_included, -max(each.after_tokens, each.before_tokens), each.reason)
        )
    )


def _links(turn: Turn, chart: Chart) -> tuple[StepLink, ...]:
    totals = {column.number: column.total_tokens for column in chart.steps if column.verdict}
    return tuple(
        StepLink(
            number=step.number,
            turn=turn.number,
            model=step.model,
            phase=step.phase,
            total_tokens=totals.get(step.number),
            marks=tuple(step.marks),
            output_tokens=step.usage.get("output") if step.usage else None,
        )
        for step in Step.objects.filter(turn=turn).order_by("number")
    )
