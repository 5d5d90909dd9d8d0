"""The summaries of one session: what each stands for, what survived, and taking one back."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contextapp.accounts import permissions
from contextapp.accounts.services import actor_name, record
from contextapp.compaction import selectors, services
from contextapp.compaction.errors import CompactionError
from contextapp.contexts import selectors as contexts
from contextapp.contexts.services import index_session
from contextapp.web.access import Session, with_session

LIVE = "api"  # only a live agent's session gets summaries of ours; what was imported stays as it was recorded


@require_safe
@with_session(permissions.READ)
def listing(request: HttpRequest, session: Session) -> HttpResponse:
    return _page(request, session)


@require_POST
@with_session(permissions.COMPACT)
def make(request: HttpRequest, session: Session) -> HttpResponse:
    """On the list of work: a model may take its time."""
    if session.origin != LIVE or session.erased_at is not None:
        messages.error(request, _("Only the session of a live agent is summarised; what was imported stays as it is."))
        return redirect("sessions:compactions", session.id)
    services.request_compaction(session_id=session.id, project_id=session.project_id, trigger="manual")
    record(
        project=session.project, actor=actor_name(request.user), action="compaction.requested",
        target=f"session:{session.id}",
    )  # fmt: skip
    messages.success(request, _("A summary is being made. Reload this page to see it."))
    return redirect("sessions:compactions", session.id)


@require_POST
@with_session(permissions.COMPACT)
def withdraw(request: HttpRequest, session: Session, seq: int) -> HttpResponse:
    reason = request.POST.get("reason", "").strip()
    if not reason or len(reason) > 300:
        error = _("Say in up to 300 characters why the summary shall no longer count.")
        return _page(request, session, error=error, failed_seq=seq, entered=reason, status=422)
    actor = actor_name(request.user)
    try:
        event = services.withdraw(session_id=session.id, seq=seq, reason=reason, actor=actor)
    except CompactionError as refused:
        return _page(request, session, error=str(refused), status=404)
    record(
        project=session.project, actor=actor, action="compaction.withdrawn", target=f"session:{session.id}",
        before={"seq": seq, "counts": True}, after={"seq": seq, "counts": False, "event": event, "reason": reason},
    )  # fmt: skip
    index_session(session_id=session.id)
    messages.success(request, _("The summary no longer counts; what it stood for is back."))
    return redirect("sessions:compactions", session.id)


def _page(
    request: HttpRequest, session: Session, error: str = "", failed_seq: int = 0, entered: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "session": contexts.session_page(session.id),
        "compactions": selectors.compactions_of(session.id),
        "failures": selectors.failures_of(session.id),
        "is_live": session.origin == LIVE and session.erased_at is None,
        "error": error,
        "failed_seq": failed_seq,
        "entered": entered,
    }
    return render(request, "sessions/compactions.html", context, status=status)
