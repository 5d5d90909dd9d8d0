"""The one way from an id to a session: through the key's project. What it may not see is not found, in the same words."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from contextapp.api.problems import Problem
from contextapp.eventlog import selectors as log


def session_of(key: Any, session_id: UUID) -> Any:  # key and session; doors don't name models
    found = log.session_for(key, session_id)
    if found is None:
        raise not_found(session_id)
    return found


def not_found(session_id: UUID | str) -> Problem:
    shown = str(session_id)[:60]
    return Problem(404, "session_not_found", f"there is no session {shown} that this key may see")
