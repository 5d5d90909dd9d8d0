"""Who asks, and what they may reach: every page gets its objects here or not at all. A foreign id is a 404, never a 403."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase

from contextapp.accounts import selectors as accounts
from contextapp.eventlog import selectors as eventlog

CHOSEN = "project"


def with_project[**P](
    view: Callable[Concatenate[HttpRequest, object, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Log in, then hand the view the project in front of the visitor: the one asked for, chosen before, or the best first."""

    @login_required
    @wraps(view)
    def wrapped(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return view(request, _project(request), *args, **kwargs)

    return wrapped


def with_session[**P](
    view: Callable[Concatenate[HttpRequest, object, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, UUID, P], HttpResponseBase]:
    """Log in, then hand the view the session of that id if the visitor may see it."""

    @login_required
    @wraps(view)
    def wrapped(request: HttpRequest, session_id: UUID, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        session = eventlog.session_for(request.user, session_id)
        if session is None:
            raise Http404(f"session {session_id}")
        return view(request, session, *args, **kwargs)

    return wrapped


def _project(request: HttpRequest) -> object:
    asked = request.GET.get(CHOSEN)
    if asked is not None:
        project = accounts.project_for(request.user, asked)
        if project is None:
            raise Http404(f"project {asked}")
        request.session[CHOSEN] = project.slug
        return project
    projects = tuple(accounts.projects_of(request.user))
    if not projects:
        raise Http404("no project")
    chosen = request.session.get(CHOSEN)
    for project in projects:
        if project.slug == chosen:
            return project
    return _first(projects)


def _first(projects: tuple) -> object:
    """One's own sessions come first; before there are any, the samples say more than an empty page."""
    own = [project for project in projects if not project.is_sample]
    filled = {project_id for project_id, count in eventlog.session_counts([p.id for p in projects]).items() if count}
    ranked = [
        *(p for p in own if p.id in filled),
        *(p for p in projects if p.is_sample and p.id in filled),
        *own,
        *projects,
    ]
    return ranked[0]
