"""Who asks, and what they may reach: every page gets its objects here or not at all. A foreign id is a 404, never a 403."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control

from contextapp.accounts import permissions
from contextapp.accounts import selectors as accounts
from contextapp.contexts.errors import NotFound
from contextapp.eventlog import selectors as eventlog
from contextapp.intake import selectors as intake
from contextapp.intake.selectors import ImportRow
from contextapp.memory import selectors as memory

CHOSEN = "project"

# Projects and sessions are models, which a door does not import; views read their fields only.
type Project = Any
type Session = Any
type Record = Any

# What only members may read stays in no cache, on the way or in the browser.
_unkept = cache_control(private=True, no_store=True)


def with_project[**P](
    view: Callable[Concatenate[HttpRequest, Project, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Log in, then hand the view the project in front of the visitor: the one asked for, chosen before, or the best first."""

    @login_required
    @_unkept
    @wraps(view)
    def wrapped(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return view(request, _project(request), *args, **kwargs)

    return wrapped


def with_session[**P](
    view: Callable[Concatenate[HttpRequest, Session, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, UUID, P], HttpResponseBase]:
    """Log in, then hand the view the session of that id if the visitor may see it. What it does not hold is a 404 too."""

    @login_required
    @_unkept
    @wraps(view)
    def wrapped(request: HttpRequest, session_id: UUID, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        session = eventlog.session_for(request.user, session_id)
        if session is None:
            raise Http404(f"session {session_id}")
        try:
            return view(request, session, *args, **kwargs)
        except NotFound as missing:
            raise Http404(str(missing)) from missing

    return wrapped


def with_import[**P](
    view: Callable[Concatenate[HttpRequest, Project, ImportRow, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, UUID, P], HttpResponseBase]:
    """Log in, then hand the view the import of that id and its project if the visitor may see them."""

    @login_required
    @_unkept
    @wraps(view)
    def wrapped(request: HttpRequest, import_id: UUID, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        projects = {project.id: project for project in accounts.projects_of(request.user)}
        batch = intake.import_for(projects, import_id)
        if batch is None:
            raise Http404(f"import {import_id}")
        return view(request, projects[batch.project_id], batch, *args, **kwargs)

    return wrapped


def with_record[**P](
    view: Callable[Concatenate[HttpRequest, Record, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, int, P], HttpResponseBase]:
    """Log in, then hand the view the memory record of that id if the visitor may see it."""

    @login_required
    @_unkept
    @wraps(view)
    def wrapped(request: HttpRequest, record_id: int, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        record = memory.record_for(request.user, record_id)
        if record is None:
            raise Http404(f"memory record {record_id}")
        return view(request, record, *args, **kwargs)

    return wrapped


def may(request: HttpRequest, project: Project, action: str) -> bool:
    return permissions.may(accounts.role_in(request.user, project), action)


def own_project(request: HttpRequest, project: Project) -> Project:
    """Where one's own transcripts belong: never among the samples, unless there is no other project."""
    if not project.is_sample:
        return project
    return next((one for one in accounts.projects_of(request.user) if not one.is_sample), project)


def require(request: HttpRequest, project: Project, action: str) -> None:
    """PermissionDenied with the role and the action in its message, unless the role permits it."""
    role = accounts.role_in(request.user, project)
    if not permissions.may(role, action):
        values = {"role": role, "action": action, "project": project.name}
        raise PermissionDenied(_("The role %(role)s in %(project)s does not permit %(action)s.") % values)


def _project(request: HttpRequest) -> Project:
    asked = request.GET.get(CHOSEN)
    if asked is not None:
        project = accounts.project_for(request.user, asked)
        if project is None:
            raise Http404(f"project {asked}")
        request.session[CHOSEN] = project.slug
        return project
    projects = tuple(accounts.projects_of(request.user))
    if not projects:
        raise PermissionDenied(_("You are not a member of any project yet."))
    chosen = request.session.get(CHOSEN)
    return next((project for project in projects if project.slug == chosen), None) or _first(projects)


def _first(projects: Sequence[Project]) -> Project:
    """One's own sessions come first; before there are any, the samples say more than an empty page."""
    own = [project for project in projects if not project.is_sample]
    if own and eventlog.session_count([project.id for project in own]):
        return own[0]
    return next((project for project in projects if project.is_sample), projects[0])
