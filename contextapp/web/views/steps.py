"""One step: its ledger, what the model saw, the comparison with another step, the state. One tab a request."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contextapp.accounts import permissions
from contextapp.contexts import selectors as contexts
from contextapp.contexts import services
from contextapp.contexts.values import PREVIEW_CHARS, LedgerFilter, StepPage
from contextapp.eventlog import selectors as log
from contextapp.web.access import Session, with_session
from contextapp.web.comparing import beside_buckets, first_change
from contextapp.web.parameters import choice, integer
from contextapp.web.reconcile import reconcile
from contextapp.web.state import panel

BUILT, SIMULATED = "built", "simulated"
TABS = ("ledger", "saw", "compare", "state")
ORIGINS = ("", BUILT, "observed", SIMULATED)
BLOCKS = 60
WHOLE = 2**31  # characters; no block is longer


@require_safe
@with_session(permissions.READ)
def detail(request: HttpRequest, session: Session, number: int) -> HttpResponse:
    """The page, or the one fragment of it that htmx asks for by its target."""
    tab = choice(request, "tab", TABS)
    page, refusal = _page(request, session.id, number)
    context = {
        "session": page.session,
        "page": page,
        "ledger": page.ledger,
        "refusal": refusal,
        "origins": page.origins if SIMULATED in page.origins else (*page.origins, SIMULATED),
        "tab": tab,
        "address": f"?origin={page.origin}",
        "checkpoint": log.checkpoint_of_build(session.id, page.log_seq) if page.origin == BUILT else None,
    }
    if page.ledger:
        context |= {"sum": reconcile(page.ledger)} | TAB_CONTEXTS[tab](request, page)
    fragment = _fragment(tab, request.htmx.target or "")
    return render(request, f"steps/detail.html#{fragment}" if fragment else "steps/detail.html", context)


def _fragment(tab: str, target: str) -> str:
    """The part of the page behind an id that htmx wants to replace; empty for the whole."""
    if tab == "ledger":
        return "row-detail" if target.startswith("opened-") else "step-ledger" if target == "step-ledger" else ""
    return "saw-blocks" if tab == "saw" and (target == "saw-more" or target.startswith("block-")) else ""


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
        "row_total": sum(len(group.rows) + group.hidden for group in page.ledger.groups),
        "opened": contexts.row_detail(page.session.id, page.number, origin=page.origin, key=key) if key else None,
        "query": _without_row(request.GET),
    }


def _saw(request: HttpRequest, page: StepPage) -> dict[str, object]:
    """A page of blocks with previews, or one block whole. What was built is built again here, and compared."""
    block = integer(request, "block")
    first = block or integer(request, "first") or 1
    limit, chars = (1, WHOLE) if block else (BLOCKS, PREVIEW_CHARS)
    saw = contexts.saw_blocks(page.session.id, page.number, origin=page.origin, first=first, limit=limit, chars=chars)
    last = saw.blocks[-1].position if saw.blocks else 0
    return {
        "saw": saw,
        "proof": services.reproduce(page.ledger.ledger_id) if page.origin == BUILT and not request.htmx else None,
        "only_block": block,
        "first": first,
        "last_shown": last,
        "next_first": last + 1 if not block and last < saw.total_blocks else None,
    }


def _compare(request: HttpRequest, page: StepPage) -> dict[str, object]:
    other = integer(request, "with")
    if page.origin == SIMULATED:
        _simulate_other(page, page.number - 1 if other is None else other)
    found = contexts.compare_steps(page.session.id, page.number, other=other, origin=page.origin)
    return {"comparison": found, "beside": beside_buckets(found), "first_change": first_change(found)}


def _simulate_other(page: StepPage, number: int) -> None:
    """A simulation is compared with one; the other step may never have been opened so."""
    if 1 <= number <= page.session.step_count:
        services.simulate_step(step_id=services.step_id_of(session_id=page.session.id, number=number))


def _state(request: HttpRequest, page: StepPage) -> dict[str, object]:
    view = contexts.state_at(page.session.id, page.number)
    return {"view": panel(view, page.session.workspace_root, whole=True)}


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
