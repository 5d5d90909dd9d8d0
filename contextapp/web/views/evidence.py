"""Taking a session's evidence home, and erasing content. Both are noted in the audit trail; neither can be taken back."""

from __future__ import annotations

import tempfile

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from contextapp.accounts import permissions
from contextapp.accounts.services import actor_name
from contextapp.contexts import selectors as contexts
from contextapp.contexts import services
from contextapp.eventlog import services as eventlog
from contextapp.eventlog.errors import EventLogError
from contextapp.web.access import Session, with_session
from contextapp.web.parameters import integer

MEMORY_BYTES = 8 * 1024 * 1024  # a longer bundle waits on the disk until it is sent


@require_safe
@with_session(permissions.EXPORT)
def export(request: HttpRequest, session: Session) -> HttpResponseBase:
    """The bundle as a download; it is whole before the first byte leaves."""
    target = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115  the response closes it
    services.export_session(session_id=session.id, target=target, actor=actor_name(request.user))
    target.seek(0)
    name = f"session-{session.id}.zip"
    response = FileResponse(target, as_attachment=True, filename=name, content_type="application/zip")
    response["X-Content-Type-Options"] = "nosniff"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@with_session(permissions.ERASE)
def erase(request: HttpRequest, session: Session) -> HttpResponse:
    """The whole session, or the events first..last of the address. A reason and a typed word are asked for."""
    page = contexts.session_page(session.id)
    first, last = integer(request, "first"), integer(request, "last")
    error = ""
    if request.method == "POST":
        error = _erased(request, session, first, last)
        if not error:
            messages.success(request, _("The content is erased. The chain still verifies and says what was done."))
            return redirect("sessions:detail", session.id)
    context = {
        "session": page,
        "first": first,
        "last": last or first,
        "error": error,
        "entered": request.POST,
        "word": _("erase"),
    }
    return render(request, "sessions/erase.html", context, status=422 if error else 200)


def _erased(request: HttpRequest, session: Session, first: int | None, last: int | None) -> str:
    """What is in the way; empty when it is done."""
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:500]
    if request.POST.get("word", "").strip().casefold() not in ("erase", _("erase").casefold()):
        return _("Type the word “%(word)s” to confirm.") % {"word": _("erase")}
    if not reason:
        return _("Say why; the reason stands in the log.")
    by = {"session_id": session.id, "reason": reason, "actor": actor_name(request.user)}
    try:
        if first is None:
            eventlog.erase_session(**by)
        else:
            eventlog.erase_events(first_seq=first, last_seq=last or first, **by)
    except EventLogError as refused:
        return str(refused)
    return ""
