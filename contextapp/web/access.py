"""Who asks, and what they may reach: every page gets its objects here or not at all. A foreign id is a 404, never a 403."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from hashlib import sha256
from typing import Any, Concatenate

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control

from contextapp.accounts import permissions, services
from contextapp.accounts import selectors as accounts
from contextapp.contexts.errors import NotFound
from contextapp.eventlog import selectors as eventlog
from contextapp.intake import selectors as intake
from contextapp.jobs import selectors as jobs
from contextapp.memory import selectors as memory
from contextapp.policy import selectors as policies

CHOSEN = "project"
POLLED = ("session-live", "session-news")  # parts of a page that ask for news by themselves

# Projects, sessions and jobs are models, which a door does not import; views read their fields only.
type Project = Any
type Session = Any
type Job = Any
type Record = Any

# What only members may read stays in no cache, on the way or in the browser.
_unkept = cache_control(private=True, no_store=True)


# What the address names, by parameter; a finder takes out what it looks up, the rest is the view's own.
type Named = dict[str, Any]
type Found = tuple[Project, tuple[Any, ...]]  # where it lies, and what the view is handed
type Find = Callable[[HttpRequest, Named], Found]
type View[**P] = Callable[Concatenate[HttpRequest, P], HttpResponseBase]

# What a view may declare beside an action of accounts.permissions. Whatever declares nothing is refused by a test.
ANYONE = "anyone"  # no login: the page is harmless, or it is the login itself
MEMBER = "member"  # a login is enough: the page is about the visitor


def anyone[**P](view: View[P]) -> View[P]:
    """Open to everybody, and said so."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return view(request, *args, **kwargs)

    return _declare(wrapped, ANYONE)


def member[**P](view: View[P]) -> View[P]:
    """Whoever is logged in; the page is about that person and nobody else."""
    return _declare(login_required(_unkept(view)), MEMBER)


def with_project(
    action: Any, *, own: bool = False, permitting: bool = False
) -> Any:  # a decorator's two forms: the view itself, or the action
    """Log in, then hand the view the project in front of the visitor: the one asked for, chosen before, or the best first.

    `@with_project(action)`; without an action it is READ. `own`: never the samples, unless there is no other project.
    `permitting`: unless the address asks for one, the first that permits the action stands in for one that does not.
    """

    def find(request: HttpRequest, named: Named) -> Found:
        project = own_project(request, _project(request)) if own else _project(request)
        if permitting and CHOSEN not in request.GET and not may(request, project, action):
            project = next(iter(accounts.projects_permitting(request.user, action)), project)
        return project, (project,)

    return _guard(action, find)


def with_settings(action: str) -> Any:  # as above
    """Log in, then hand the view the project that the address names: a form never changes another than it showed."""

    def find(request: HttpRequest, named: Named) -> Found:
        slug = named.pop("slug")
        project = accounts.project_for(request.user, slug)
        if project is None:
            raise Http404(f"project {slug}")
        return project, (project,)

    return _guard(action, find)


def with_session(action: Any) -> Any:  # as above
    """Log in, then hand the view the session of that id if the visitor may see it. What it does not hold is a 404 too.

    A page that is read is noted in the audit trail. `@with_session(action)`; without an action it is READ.
    """

    def find(request: HttpRequest, named: Named) -> Found:
        session_id = named.pop("session_id")
        session = eventlog.session_for(request.user, session_id)
        if session is None:
            raise Http404(f"session {session_id}")
        return session.project, (session,)

    def noting(view: View[...]) -> View[...]:
        @wraps(view)
        def noted(request: HttpRequest, session: Session, **named: Any) -> HttpResponseBase:  # as the URL gives them
            try:
                response = view(request, session, **named)
            except NotFound as missing:
                raise Http404(str(missing)) from missing
            if request.method in ("GET", "HEAD") and response.status_code == 200 and not _is_poll(request):
                _note_read(request, session, named)
            return response

        return noted

    return _guard(action, find, noting)


def with_import(action: Any) -> Any:  # as above
    """Log in, then hand the view the import of that id and its project if the visitor may see them."""

    def find(request: HttpRequest, named: Named) -> Found:
        import_id = named.pop("import_id")
        projects = {project.id: project for project in accounts.projects_of(request.user)}
        batch = intake.import_for(projects, import_id)
        if batch is None:
            raise Http404(f"import {import_id}")
        project = projects[batch.project_id]
        return project, (project, batch)

    return _guard(action, find)


def with_record(action: Any) -> Any:  # as above
    """Log in, then hand the view the memory record of that id if the visitor may see it."""

    def find(request: HttpRequest, named: Named) -> Found:
        record_id = named.pop("record_id")
        record = memory.record_for(request.user, record_id)
        if record is None:
            raise Http404(f"memory record {record_id}")
        return record.project, (record,)

    return _guard(action, find)


def with_job(action: str) -> Any:  # as above
    """Log in, then hand the view the job of that id if the visitor may see it; one without a project is the administrator's."""

    def find(request: HttpRequest, named: Named) -> Found:
        job_id = named.pop("job_id")
        job = jobs.job_for(request.user, job_id)
        if job is None:
            raise Http404(f"job {job_id}")
        return job.project, (job,)

    return _guard(action, find)


def with_policy(action: str) -> Any:  # as above
    """Log in, then hand the view the policy version that project and number in the address name."""

    def find(request: HttpRequest, named: Named) -> Found:
        slug, number = named.pop("slug"), named.pop("number")
        project = accounts.project_for(request.user, slug)
        version = None if project is None else policies.policy_version(project.id, number)
        if version is None:
            raise Http404(f"policy version {number} of project {slug}")
        return version.project, (version,)

    return _guard(action, find)


def with_known(action: str) -> Any:  # as above
    """Log in, then hand the view the known-answer item of that id if it lies in a project of the visitor."""

    def find(request: HttpRequest, named: Named) -> Found:
        known_id = named.pop("known_id")
        known = memory.known_answer_for(request.user, known_id)
        if known is None:
            raise Http404(f"memory record {known_id}")
        return known.project, (known,)

    return _guard(action, find)


def _guard(action: Any, find: Find, around: Callable[[View[...]], View[...]] | None = None) -> Any:  # as above
    """The decorator: log in, find what the address names, ask for the right to it in its project, then hand it to the view.

    A view in place of the action is one that reads. `around` wraps the view inside all of that.
    """
    if callable(action):
        return _guard(permissions.READ, find, around)(action)

    def decorate(view: View[...]) -> View[...]:
        inner = view if around is None else around(view)

        @login_required
        @_unkept
        @wraps(view)
        def wrapped(request: HttpRequest, **named: Any) -> HttpResponseBase:  # as the URL gives them
            project, handed = find(request, named)
            require(request, project, action)
            return inner(request, *handed, **named)

        return _declare(wrapped, action)

    return decorate


def _declare(view: Any, permission: str) -> Any:  # a view; the mark is what the test of all addresses reads
    view.permission = permission
    return view


def _is_poll(request: HttpRequest) -> bool:
    """A page that asks for news by itself; nobody has read anything by it."""
    return bool(request.htmx) and (request.htmx.target or "") in POLLED


def _note_read(request: HttpRequest, session: Session, place: dict[str, Any]) -> None:
    found = request.resolver_match
    services.note_read(
        user=request.user,
        session_id=session.id,
        project=session.project,
        page=found.view_name if found else "",
        login=sha256((request.session.session_key or "").encode()).hexdigest()[:12],
        at={name: value for name, value in place.items() if isinstance(value, int)},
    )


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
    request.permitted = permissions.Permitted(role)  # what templates ask
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
