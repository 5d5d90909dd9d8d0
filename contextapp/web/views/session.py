"""One session: its chart, its transcript as people read it, and the state beside it. `sessions.py` is the list."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contextapp.accounts import permissions
from contextapp.accounts.services import actor_name
from contextapp.contexts import selectors as contexts
from contextapp.contexts import services
from contextapp.contexts.errors import ContextsError
from contextapp.contexts.values import SessionPage
from contextapp.eventlog import selectors as log
from contextapp.eventlog import services as eventlog
from contextapp.eventlog.values import Verification
from contextapp.intake import selectors as intake
from contextapp.web import series
from contextapp.web.access import Session, with_session
from contextapp.web.parameters import choice, integer
from contextapp.web.state import Panel, panel

ITEMS = 120


@require_safe
@with_session(permissions.READ)
def detail(request: HttpRequest, session: Session) -> HttpResponse:
    """The page, or the one fragment of it that htmx asks for by its target."""
    page = contexts.session_page(session.id)
    if request.htmx.target == "session-chart":
        return render(request, "sessions/detail.html#session-chart", _chart(request, page))
    if request.htmx.target == "session-state":
        return render(request, "sessions/detail.html#session-state", {"session": page, "view": _state(request, page)})
    if request.htmx.target == "transcript-more":
        return render(request, "sessions/detail.html#transcript-more", _transcript(request, page))
    if request.htmx.target == "session-news":
        return _news(request, page)
    context = {"view": _state(request, page)} | _integrity(page)
    return render(request, "sessions/detail.html", context | _chart(request, page) | _transcript(request, page))


@require_POST
@with_session(permissions.VERIFY)
def verify(request: HttpRequest, session: Session) -> HttpResponse:
    """Reads the whole chain of the session now and says what it found."""
    verification = eventlog.verify_session(session.id)
    page = contexts.session_page(session.id)
    if request.htmx:
        context = {"session": page, "verification": verification} | _integrity(page)
        return render(request, "sessions/detail.html#session-integrity", context)
    if verification.is_verified:
        messages.success(request, _("Verified to event %(events)s.") % {"events": f"{verification.events:,}"})
    else:
        messages.error(request, _("Verification failed: %(what)s") % {"what": _place(verification)})
    return redirect("sessions:detail", session.id)


@require_POST
@with_session(permissions.SIMULATE)
def simulate(request: HttpRequest, session: Session) -> HttpResponse:
    """Put the simulation of every step on the list of work; a page never computes them all itself."""
    if services.request_simulation(session_id=session.id) is None:
        messages.info(request, _("Every step of this session is simulated already, or its model's window is unknown."))
    else:
        messages.success(request, _("The steps are being simulated. Reload this page to see the line grow."))
    return redirect("sessions:detail", session.id)


@require_POST
@with_session(permissions.DECIDE_CONSTRAINT)
def decide_constraint(request: HttpRequest, session: Session) -> HttpResponse:
    """A suspected constraint is confirmed or dismissed in its place, by an event."""
    action = request.POST.get("action", "")
    if action not in (services.CONFIRM, services.DISMISS):
        raise BadRequest(f"action={action[:40]!r} is neither {services.CONFIRM} nor {services.DISMISS}")
    try:
        services.decide_constraint(
            project=session.project, session_id=session.id, constraint_id=request.POST.get("constraint", ""),
            action=action, actor=actor_name(request.user),
        )  # fmt: skip
    except ContextsError as refused:
        messages.error(request, str(refused))
    else:
        done = _("The constraint is confirmed: it stands in every input from here on.")
        messages.success(request, done if action == services.CONFIRM else _("The constraint is dismissed."))
    return redirect(f"{reverse('sessions:detail', args=[session.id])}#state-title")


def _integrity(page: SessionPage) -> dict[str, object]:
    """What the last verification found, whoever asked for it."""
    return {"integrity": log.integrity_of([page.id]).get(page.id), "source": intake.source_of(page.id)}


def _place(verification: Verification) -> str:
    if verification.seq is None:
        return verification.what
    return _("event %(seq)s: %(what)s") % {"seq": f"{verification.seq:,}", "what": verification.what}


def _chart(request: HttpRequest, page: SessionPage) -> dict[str, object]:
    figures = contexts.chart_series(page.id, page.default_origin)
    scale = choice(request, "scale", ("", "window", "use"))
    picture = series.picture(figures, page.id, first_step=integer(request, "from"), scale=scale)
    missing = any(step.simulated_tokens is None for step in figures.steps)
    return {
        "session": page,
        "picture": picture,
        "chart_address": f"{request.path}?",
        "may_simulate": missing and page.window_tokens is not None and page.erased_at is None,
    }


def _transcript(request: HttpRequest, page: SessionPage) -> dict[str, object]:
    after, before = integer(request, "after"), integer(request, "before")
    found = contexts.transcript_page(page.id, after_seq=after or 0, before_seq=before, limit=ITEMS)
    is_live = page.origin == "api" and page.ended_at is None and page.erased_at is None
    return {"session": page, "transcript": found, "is_live": is_live and found.next_after is None}


def _state(request: HttpRequest, page: SessionPage) -> Panel | None:
    """At the step asked for, else at the last; of a live session as its log stands. An erased session keeps its counts and has
    no steps any more."""
    if page.erased_at is not None or not page.step_count:
        return None
    number = integer(request, "at")
    if number is None and page.origin == "api":
        return panel(contexts.state_now(page.id, page.step_count, page.indexed_seq), page.workspace_root)
    number = number or page.step_count
    return panel(contexts.state_at(page.id, number), page.workspace_root)


def _news(request: HttpRequest, page: SessionPage) -> HttpResponse:
    """What came after the place that the page shows; 204 while nothing has. The index comes first: it numbers steps."""
    shown = integer(request, "after") or 0
    if page.indexed_seq <= shown:
        return HttpResponse(status=204)
    response = render(request, "sessions/detail.html#session-news", _transcript(request, page) | {"grew": True})
    response["HX-Trigger-After-Swap"] = "session-grew"  # the chart draws itself anew
    return response
