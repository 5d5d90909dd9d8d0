"""The film strip of a session: where a source falls out of view is seen at one glance."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from contextapp.accounts import permissions
from contextapp.contexts import selectors as contexts
from contextapp.contexts.errors import NotFound
from contextapp.web.access import Session, with_session
from contextapp.web.parameters import choice, integer

ORIGINS = ("", "built", "observed", "simulated")
MODES = ("full", "excerpt", "summary", "reference", "none")
TEXT_LIMIT = 200


@require_safe
@with_session(permissions.READ)
def detail(request: HttpRequest, session: Session) -> HttpResponse:
    asked = {"q": request.GET.get("q", "").strip()[:TEXT_LIMIT], "kind": request.GET.get("kind", "")[:60]}
    origin = choice(request, "origin", ORIGINS)
    found, error = None, ""
    try:
        found = contexts.film(
            session.id, origin=origin or None, first=integer(request, "from") or 1, text=asked["q"], kind=asked["kind"]
        )
    except NotFound as missing:
        error = str(missing)
    context = {
        "session": contexts.session_page(session.id), "film": found, "error": error, "asked": asked, "modes": MODES,
    }  # fmt: skip
    if found is not None:
        kept = {name: value for name, value in (asked | {"origin": origin}).items() if value}
        if found.first_step > 1:
            context["earlier_href"] = f"?{urlencode(kept | {'from': max(1, found.first_step - found.steps)})}"
        if found.last_step < found.step_count:
            context["later_href"] = f"?{urlencode(kept | {'from': found.last_step + 1})}"
    return render(request, "sessions/strip.html", context)
