"""The one way from an id to a session: through the key's project. What it may not see is not found, in the same words."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from contextapp.api.problems import Problem
from contextapp.eventlog import selectors as log
from contextapp.eventlog import services as log_services


def session_of(key: Any, session_id: UUID) -> Any:  # key and session; doors don't name models
    found = log.session_for(key, session_id)
    if found is None:
        raise not_found(session_id)
    return found


def own_session(key: Any, session_id: UUID) -> UUID:  # the key; doors don't name models
    """The same for a door that needs no more than to know that it is the key's own: an append asks the database nothing."""
    if log_services.project_of(session_id) != key.project_id:
        raise not_found(session_id)
    return session_id


def not_found(session_id: UUID | str) -> Problem:
    shown = str(session_id)[:60]
    return Problem(404, "session_not_found", f"there is no session {shown} that this key may see")
