"""Sessions: open, list, read, end. A session of another project is not found, like one that never was."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4, uuid5

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from contextapp.accounts import permissions
from contextapp.api.access import session_of
from contextapp.api.appending import append
from contextapp.api.keys import KeyAuth, key_of
from contextapp.api.problems import READ_PROBLEMS, WRITE_PROBLEMS, Problem
from contextapp.api.schemas import EndIn, SessionEntry, SessionIn, SessionOut, SessionsOut, SessionsQuery
from contextapp.contexts import services as contexts
from contextapp.engine.events import SESSION_ENDED
from contextapp.eventlog import selectors as log
from contextapp.eventlog import services as log_services
from contextapp.eventlog.values import Draft

router = Router(tags=["sessions"])


@router.post(
    "/sessions",
    operation_id="open_session",
    summary="Open a session",
    auth=KeyAuth("session.create"),
    response={200: SessionOut, 201: SessionOut, **WRITE_PROBLEMS},
)
def open_session(request: HttpRequest, given: SessionIn) -> Status[SessionOut]:
    """201 with a new session; 200 with the one that has this `external_id` already. Its facts stay, but a window that
    nobody knew can be given later."""
    key = key_of(request)
    parent = session_of(key, given.parent_id).id if given.parent_id else None
    wanted = uuid4()
    session = log_services.open_session(
        session_id=wanted,
        project_id=key.project_id,
        origin="api",
        external_id=given.external_id,
        workspace_root=given.workspace_root,
        title=given.title,
        agent=given.agent,
        agent_version=given.agent_version,
        model=given.model,
        user=given.user,
        parent_id=parent,
        started_at=given.started_at,
    )
    if given.model_window_tokens is not None and session.model_window_tokens is None:
        log_services.update_session_facts(session_id=session.id, model_window_tokens=given.model_window_tokens)
    return Status(201 if session.id == wanted else 200, described(session_of(key, session.id)))


@router.get(
    "/sessions",
    operation_id="list_sessions",
    summary="List sessions, newest first",
    auth=KeyAuth(permissions.READ),
    response={200: SessionsOut, **READ_PROBLEMS},
)
def list_sessions(request: HttpRequest, wanted: Query[SessionsQuery]) -> SessionsOut:
    """Filters narrow together. `total` counts what matches them, on all pages."""
    if wanted.cursor and not log.is_cursor(wanted.cursor):
        raise Problem(422, "invalid_field", "this is no cursor; give `next_cursor` of the page before", field="cursor")
    filters = log.SessionFilters(
        text=wanted.q,
        agent=wanted.agent,
        model=wanted.model,
        marks=tuple(mark for mark in log.MARKS if getattr(wanted, mark)),
        since=wanted.since,
        until=wanted.until,
        origin=wanted.origin or "",
        status=wanted.status or "",
        external_id=wanted.external_id,
        workspace_root=wanted.workspace,
    )
    page = log.list_sessions([key_of(request).project_id], filters, cursor=wanted.cursor, limit=wanted.limit)
    return SessionsOut(
        sessions=[_entry(session) for session in page.sessions],
        next_cursor=page.next_cursor or None,
        total=page.matching,
    )


@router.get(
    "/sessions/{uuid:session_id}",
    operation_id="get_session",
    summary="Read a session",
    auth=KeyAuth(permissions.READ),
    response={200: SessionOut, **READ_PROBLEMS},
)
def get_session(request: HttpRequest, session_id: UUID) -> SessionOut:
    return described(session_of(key_of(request), session_id))


@router.post(
    "/sessions/{uuid:session_id}/end",
    operation_id="end_session",
    summary="End a session",
    auth=KeyAuth("event.append"),
    response={200: SessionOut, **WRITE_PROBLEMS},
)
def end_session(request: HttpRequest, session_id: UUID, given: EndIn) -> SessionOut:
    """Appends `session.ended`. Ending a session again with the same reason changes nothing."""
    session = session_of(key_of(request), session_id)
    ended = Draft(
        event_id=uuid5(session.id, SESSION_ENDED),
        type=SESSION_ENDED,
        payload={"reason": given.reason},
        occurred_at=timezone.now(),
    )
    append(request, session.id, [ended])
    contexts.index_session(session_id=session.id)
    return described(session_of(key_of(request), session_id))


def described(session: Any) -> SessionOut:  # a session; doors don't name models
    return SessionOut(**_entry(session).model_dump(), head_seq=log.head_seq(session.id))


def _entry(session: Any) -> SessionEntry:  # a session; doors don't name models
    return SessionEntry(**{name: getattr(session, name) for name in SessionEntry.model_fields})
