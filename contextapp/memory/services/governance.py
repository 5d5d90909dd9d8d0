"""The governance stream of a project: every change of a memory record is an event there, in the transaction that makes it.

The tables are a projection of this stream (rebuilding.py). The stream is a session like any other: chained, verifiable,
erasable.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from contextapp.eventlog.models.sessions import Session, SessionOrigin
from contextapp.eventlog.services import append, open_session
from contextapp.eventlog.values import Draft

STREAM = "governance"


def stream_of(project_id: UUID) -> Session:
    return open_session(project_id=project_id, origin=SessionOrigin.GOVERNANCE, external_id=STREAM, title="Governance")


def tell(
    *, project_id: UUID, type: str, actor: str, payload: dict[str, Any]
) -> int:  # payload: JSON of the type's shape
    """Append one event to the project's stream; its seq."""
    draft = Draft(event_id=uuid4(), type=type, payload=payload, visibility="audit")
    return append(session_id=stream_of(project_id).id, drafts=[draft], actor=actor).last_seq
