"""Hands an evidence bundle to somebody, and says in the audit trail who took it."""

from __future__ import annotations

from typing import IO, Any
from uuid import UUID

from contextapp.accounts.services import record
from contextapp.contexts.errors import NotFound
from contextapp.contexts.export import write_bundle
from contextapp.eventlog.models import Session


def export_session(*, session_id: UUID, target: IO[bytes], actor: str) -> dict[str, Any]:  # counts
    """Write the bundle to `target`; what it holds. The entry is written first: nothing leaves unnoted."""
    session = Session.objects.select_related("project").filter(id=session_id).first()
    if session is None:
        raise NotFound(f"there is no session {session_id}")
    record(project=session.project, actor=actor, action="session.exported", target=f"session:{session_id}")
    return write_bundle(session_id, target)


def family_of(session_id: UUID) -> list[UUID]:
    """The session and its sub-agents, each below its parent."""
    found = [session_id]
    for place in found:  # grows while it is read
        found += Session.objects.filter(parent_id=place).order_by("started_at", "id").values_list("id", flat=True)
    return found
