"""A session out again, in the format that other tools read. The copy is noted before anything leaves."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.accounts.services import record
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import iter_events
from contextapp.importers.atif.writing import Named, trajectory_of
from contextapp.importers.contract import Json
from contextapp.intake.errors import UnknownSession


def export_trajectory(*, session_id: UUID, actor: str) -> Json:
    """The session as an ATIF trajectory. Erased events are not in it."""
    session = Session.objects.select_related("project").filter(id=session_id).first()
    if session is None:
        raise UnknownSession(_("There is no session %(id)s.") % {"id": session_id})
    record(project=session.project, actor=actor, action="session.exported", target=f"session:{session_id}")
    named = Named(
        session_id=session.external_id or str(session.id),
        agent=session.agent,
        version=session.agent_version,
        model=session.model,
    )
    return trajectory_of(named, iter_events(session_id=session_id))
