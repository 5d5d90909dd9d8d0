"""One step: its ledger, what the model saw, the comparison with another step, the state. One tab a request."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contextapp.contexts import selectors as contexts
from contextapp.contexts import services
from contextapp.contexts.values import LedgerFilter, StepPage
from contextapp.web.access import Session, with_session
from contextapp.web.parameters import choice, integer
from contextapp.web.reconcile import reconcile
from contextapp.web.state import panel

SIMULATED = "simulated"
TABS = ("ledger", "saw", "compare", "state")
ORIGINS = ("", "built", "observed", SIMULATED)
BLOCKS = 60


@require_safe
@with_session
def detail(request: HttpRequest, session: Session, number: int) -> HttpResponse:
    """The page, or the one fragment of it that htmx asks for by its target."""
    tab = choice(request, "tab", TABS)
    page, refusal = _page(request, session.id, number)
    context = {
        "session": page.session,
        "page": page,
        "refusal": refusal,
        "origins": page.origins if SIMULATED in page.origins else (*page.origins, SIMULATED),
        "tab": tab,
        "address": f"?origin={page.origin}",
    }
    if page.ledger:
        context |= {"sum": reconcile(page.ledger)} | TAB_CONTEXTS[tab](request, page)
    fragment = {"ledger": "step-ledger", "saw": "saw-more"}.get(tab, "")
    if request.htmx.target and request.htmx.target.startswith("opened-"):
        return render(request, "steps/detail.html#row-detail", context)
    if fragment and request.htmx.target == fragment:
        return render(request, f"steps/detail.html#{fragment}", context)
    return render(request, "steps/detail.html", context)


def _page(request: HttpRequest, session_id: UUID, number: int) -> tuple[StepPage, str]:
    """The page, and why there is no simulation if one was asked for. A step is simulated when it is first opened so."""
    origin = choice(request, "origin", ORIGINS) or None
    page = contexts.step_page(session_id, number, origin=origin, filters=_filters(request.GET))
    if origin != SIMULATED or page.ledger is not None:
        return page, ""
    refusal = services.simulate_step(step_id=page.step_id).message
    return contexts.step_page(session_id, number, origin=origin, filters=_filters(request.GET)), refusal


def _ledger(request: HttpRequest, page: StepPage) -> dict[str, object]:
    key = request.GET.get("row", "")
    return {
        "filters": _filters(request.GET),
        "opened": contexts.row_detail(page.session.id, page.number, origin=page.origin, key=key) if key else None,
        "query": _without_row(request.GET),
    }


def _saw(request: HttpRequest, page: StepPage) -> dict[str, object]:
    first = integer(request, "first") or 1
    saw = contexts.saw_blocks(page.session.id, page.number, origin=page.origin, first=first, limit=BLOCKS)
    last = saw.blocks[-1].position if saw.blocks else 0
    return {"saw": saw, "first": first, "last_shown": last, "next_first": last + 1 if last < saw.total_blocks else None}


def _compare(request: HttpRequest, page: StepPage) -> dict[str, object]:
    other = integer(request, "with")
    return {"comparison": contexts.compare_steps(page.session.id, page.number, other=other, origin=page.origin)}


def _state(request: HttpRequest, page: StepPage) -> dict[str, object]:
    view = contexts.state_at(page.session.id, page.number)
    return {"view": panel(view, page.session.workspace_root, all_files=True)}


TAB_CONTEXTS = {"ledger": _ledger, "saw": _saw, "compare": _compare, "state": _state}


def _filters(asked: QueryDict) -> LedgerFilter:
    """`filtered` tells a form whose boxes are all empty from an address without a filter."""
    shown = asked.getlist("show") if "filtered" in asked else ["included", "excluded"]
    return LedgerFilter(
        included="included" in shown,
        excluded="excluded" in shown,
        reasons=frozenset(filter(None, asked.getlist("reason"))),
        trusts=frozenset(filter(None, asked.getlist("trust"))),
        kinds=frozenset(filter(None, asked.getlist("kind"))),
        text=asked.get("find", "").strip()[:200],
    )


def _without_row(asked: QueryDict) -> str:
    """The address of the ledger as filtered, to which a row can be added."""
    kept = asked.copy()
    kept.pop("row", None)
    return kept.urlencode()
