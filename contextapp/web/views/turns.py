"""One turn: the chart over its steps, its reasons merged, its part of the transcript."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contextapp.accounts import permissions
from contextapp.contexts import selectors as contexts
from contextapp.contexts.values import TurnPage
from contextapp.web import series
from contextapp.web.access import Session, with_session
from contextapp.web.parameters import choice, integer

ITEMS = 200
ORIGINS = ("", "built", "observed", "simulated")


@require_safe
@with_session(permissions.READ)
def detail(request: HttpRequest, session: Session, number: int) -> HttpResponse:
    """The page, or the one fragment of it that htmx asks for by its target."""
    origin = choice(request, "origin", ORIGINS) or None
    page = contexts.turn_page(session.id, number, origin=origin)
    if request.htmx.target == "turn-chart":
        return render(request, "turns/detail.html#turn-chart", _chart(request, page))
    if request.htmx.target == "transcript-more":
        return render(request, "turns/detail.html#transcript-more", _transcript(request, page))
    return render(request, "turns/detail.html", {"page": page} | _chart(request, page) | _transcript(request, page))


def _chart(request: HttpRequest, page: TurnPage) -> dict[str, object]:
    scale = choice(request, "scale", ("", "window", "use"))
    picture = series.picture(page.chart, page.session.id, first_step=integer(request, "from"), scale=scale)
    return {"session": page.session, "picture": picture, "chart_address": f"{request.path}?origin={page.origin}&"}


def _transcript(request: HttpRequest, page: TurnPage) -> dict[str, object]:
    after, before = integer(request, "after"), integer(request, "before")
    transcript = contexts.transcript_page(
        page.session.id, after_seq=after or 0, before_seq=before, turn=page.number, limit=ITEMS
    )
    return {"session": page.session, "page": page, "transcript": transcript}
