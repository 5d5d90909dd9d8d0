"""One event as it was recorded: every field of its payload, long ones in parts, invisible characters shown."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contextapp.accounts import permissions
from contextapp.contexts import selectors as contexts
from contextapp.eventlog import selectors as eventlog
from contextapp.web.access import Session, with_session
from contextapp.web.parameters import integer
from contextapp.web.raw import artifact_of, fields, with_whole

WHOLE = 2**31  # no string of a payload is longer


@require_safe
@with_session(permissions.READ)
def detail(request: HttpRequest, session: Session, seq: int) -> HttpResponse:
    rows = eventlog.get_rows(session.id, seqs=[seq], preview_chars=WHOLE)
    if not rows:
        raise Http404(f"event {seq}")
    payload = rows[0].payload
    wanted = artifact_of(payload)
    artifact = eventlog.get_artifact(session.id, wanted) if wanted else None
    part, offset = request.GET.get("field", ""), integer(request, "offset") or 0
    context = {
        "session": contexts.session_page(session.id),
        "event": rows[0],
        "fields": fields(with_whole(payload, bytes(artifact.body)) if artifact else payload, part, offset),
    }
    return render(request, "sessions/event.html", context)
