"""Text search over what was recorded: hits are events, in their place. And why a text was, or was not, in an input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from contextapp.accounts import permissions
from contextapp.accounts.services import actor_name, record
from contextapp.contexts import selectors as contexts
from contextapp.contexts.errors import NotFound
from contextapp.eventlog import selectors as eventlog
from contextapp.web.access import Project, Session, with_project, with_session
from contextapp.web.excerpts import excerpt
from contextapp.web.parameters import choice, integer

TEXT_LIMIT, WHY_LIMIT, WHENCE_LIMIT = 200, 2_000, 300
ORIGINS = ("", "built", "observed", "simulated")


@require_safe
@with_project(permissions.READ)
def events(request: HttpRequest, project: Project) -> HttpResponse:
    """Only the hits that are shown are read, each as the piece around what was sought. Who searched for what is noted once."""
    text = request.GET.get("q", "").strip()[:TEXT_LIMIT]
    found = eventlog.search_events([project.id], text, before=integer(request, "before")) if text else None
    shown = () if found is None else found.hits
    said = eventlog.strings_of(shown) if shown else {}
    words = () if found is None else found.words
    hits = [(hit, excerpt(said.get((hit.session_id, hit.seq), ()), text, words)) for hit in shown]
    if found is not None and request.method == "GET":
        _note(request, project, text, shown)
    more = None if found is None or found.next_cursor is None else found.next_cursor
    lag = eventlog.derive_lag([project.id])
    context = {
        "project": project,
        "text": text,
        "hits": hits,
        "has_words": bool(found and found.words),
        "is_continued": "before" in request.GET,
        "more_href": f"?{urlencode({'project': project.slug, 'q': text, 'before': more})}" if more else "",
        "behind": lag.events,
    }
    return render(request, "search.html", context)


def _note(request: HttpRequest, project: Project, text: str, hits: Sequence[Any]) -> None:  # hits of the log
    """A search shows pieces of many transcripts, so it is a read of them."""
    record(
        project=project,
        actor=actor_name(request.user),
        action="project.searched",
        target=f"project:{project.slug}",
        after={"text": text, "hits": len(hits), "sessions": sorted({str(hit.session_id) for hit in hits})},
    )


@require_safe
@with_session(permissions.READ)
def why(request: HttpRequest, session: Session) -> HttpResponse:
    """For each step of one origin what became of a text, or of a source that another page names."""
    text = request.GET.get("text", "")[:WHY_LIMIT]
    source = request.GET.get("source", "")[:WHY_LIMIT]
    origin = choice(request, "origin", ORIGINS)
    ignore_case = request.GET.get("ignore_case") == "1"
    found, error = None, ""
    if text.strip() or source:
        question = {"source_id": source} if source else {"text": text}
        try:
            found = contexts.why(
                session.id, **question, origin=origin or None, after=integer(request, "after") or 0,
                ignore_case=ignore_case,
            )  # fmt: skip
        except NotFound as missing:
            error = str(missing)
    asked = {"text": text, "source": source, "origin": origin, "ignore_case": "1" if ignore_case else ""}
    kept = {name: value for name, value in asked.items() if value}
    context = {
        "session": contexts.session_page(session.id),
        "asked": asked,
        "found": found,
        "error": error,
        "origins": ORIGINS[1:],
        "more_href": f"?{urlencode(kept | {'after': found.next_after})}" if found and found.next_after else "",
    }
    return render(request, "sessions/why.html", context)


@require_safe
@with_session(permissions.READ)
def whence(request: HttpRequest, session: Session, seq: int) -> HttpResponse:
    """Of a call's arguments: which sources of that call's window hold them."""
    parts = contexts.parts_of_call(session.id, seq)
    value = request.GET.get("value", "").strip()[:WHENCE_LIMIT]
    found, error = None, ""
    if value:
        try:
            found = contexts.whence(session.id, seq, value)
        except NotFound as missing:
            error = str(missing)
    context = {
        "session": contexts.session_page(session.id), "seq": seq, "parts": parts, "value": value, "found": found,
        "error": error,
    }  # fmt: skip
    return render(request, "sessions/whence.html", context)
