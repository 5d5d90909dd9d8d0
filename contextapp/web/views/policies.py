"""The policies of a project: its versions, a draft as a form with a live preview, coming into force, going back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contextapp.accounts import permissions
from contextapp.accounts import selectors as accounts
from contextapp.accounts.services import actor_name
from contextapp.contexts import errors as contexts_errors
from contextapp.contexts import selectors as contexts
from contextapp.engine.policy import Policy
from contextapp.eventlog import selectors as eventlog
from contextapp.policy import selectors, services
from contextapp.policy.checking import faults_of
from contextapp.policy.errors import PoliciesError, PolicyRefused
from contextapp.web.access import Project, with_policy, with_project, with_settings
from contextapp.web.parameters import integer_of
from contextapp.web.policies import body_from, differences, form_of, slices

type Version = Any  # a model, which a door does not import; views read its fields only

CONFLICT, REFUSED = 409, 422


@require_safe
@with_project(permissions.READ_POLICY)
def list_(request: HttpRequest, project: Project) -> HttpResponse:
    return _list(request, project)


@require_POST
@with_settings(permissions.CHANGE_POLICY)
def new(request: HttpRequest, project: Project) -> HttpResponse:
    """A draft that begins as a version says (`from`), else as the one in force does."""
    base = selectors.policy_version(project.id, integer_of(request.POST.get("from", "")) or 0)
    base = base or selectors.active_version(project.id)
    body = Policy().to_dict() if base is None else selectors.as_policy(base).to_dict()
    made = services.create_draft(project=project, body=body, by=actor_name(request.user))
    return redirect("policies:edit", project.slug, made.number)


@require_POST
@with_settings(permissions.CHANGE_POLICY)
def import_(request: HttpRequest, project: Project) -> HttpResponse:
    file = request.FILES.get("file")
    try:
        text = file.read(services.LARGEST_BYTES + 1) if file else request.POST.get("text", "").encode()
        made = services.import_policy(project=project, text=text, by=actor_name(request.user))
    except PolicyRefused as refused:
        return _list(request, project, faults=refused.faults, status=REFUSED)
    messages.success(request, _("The file is a draft now; nothing is in force by it."))
    return redirect("policies:edit", project.slug, made.number)


@require_safe
@with_policy(permissions.READ_POLICY)
def detail(request: HttpRequest, version: Version) -> HttpResponse:
    return _detail(request, version)


@require_safe
@with_policy(permissions.READ_POLICY)
def export(request: HttpRequest, version: Version) -> HttpResponse:
    name = f"{version.project.slug}-policy-v{version.number}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(services.export_policy(version), content_type="application/json", headers=headers)


@require_http_methods(["GET", "HEAD", "POST"])
@with_policy(permissions.CHANGE_POLICY)
def edit(request: HttpRequest, version: Version) -> HttpResponse:
    """A draft as a form. `action=preview` and htmx show what it would do and store nothing."""
    if request.method != "POST":
        if version.state != "draft":
            return redirect("policies:detail", version.project.slug, version.number)
        return _edit(request, version, selectors.as_policy(version).to_dict(), version.note)
    body = body_from(request.POST, version.body)
    note = request.POST.get("note", "").strip()
    if request.htmx.target == "preview":
        return render(request, "policies/edit.html#preview", _tried(request, version, body))
    if request.POST.get("action") == "preview":
        return _edit(request, version, body, note)
    seen = request.POST.get("seen", "")
    try:
        services.update_draft(version=version, body=body, note=note, seen=seen, by=actor_name(request.user))
    except PolicyRefused as refused:
        return _edit(request, version, body, note, faults=refused.faults, status=REFUSED)
    except PoliciesError as error:
        return _edit(request, version, body, note, error=str(error), status=CONFLICT)
    messages.success(request, _("The draft is saved; nothing is in force by it."))
    return redirect("policies:detail", version.project.slug, version.number)


@require_POST
@with_policy(permissions.CHANGE_POLICY)
def publish(request: HttpRequest, version: Version) -> HttpResponse:
    return _decide(request, version, services.activate, seen=request.POST.get("seen", ""), **_why(request))


@require_POST
@with_policy(permissions.CHANGE_POLICY)
def roll_back(request: HttpRequest, version: Version) -> HttpResponse:
    return _decide(request, version, services.roll_back, **_why(request))


@require_POST
@with_policy(permissions.CHANGE_POLICY)
def discard(request: HttpRequest, version: Version) -> HttpResponse:
    return _decide(request, version, services.retire, seen=request.POST.get("seen", ""))


def _why(request: HttpRequest) -> dict[str, Any]:  # keywords of a service
    seen = integer_of(request.POST.get("seen_active", ""))
    return {"note": request.POST.get("note", "").strip(), "seen_active": -1 if seen is None else seen}


def _decide(request: HttpRequest, version: Version, service: Any, **given: Any) -> HttpResponse:  # keywords of it
    try:
        decided = service(version=version, by=actor_name(request.user), **given)
    except PolicyRefused as refused:
        return _detail(request, version, error=str(refused), status=REFUSED)
    except PoliciesError as error:
        version.refresh_from_db()
        return _detail(request, version, error=str(error), status=CONFLICT)
    words = _("Version %(number)s is in force.") if decided.state == "active" else _("Draft %(number)s is given up.")
    messages.success(request, words % {"number": decided.number})
    return redirect("policies:detail", decided.project.slug, decided.number)


def _around(request: HttpRequest, project: Project) -> dict[str, Any]:  # a template's context
    """What every page of the policies shows around its own part: whom the policy reaches."""
    return {
        "project": project,
        "permitted": request.permitted,
        "active": selectors.active_version(project.id),
        "agent_count": accounts.live_key_count(project, permissions.BUILD),
        "imported_count": eventlog.imported_count(project.id),
    }


def _list(request: HttpRequest, project: Project, faults: Any = (), status: int = 200) -> HttpResponse:
    around = _around(request, project)
    context = around | {
        "versions": selectors.policies_of(project.id),
        "slices": slices(_body_in_force(around["active"])),
        "faults": faults,
        "projects": accounts.projects_permitting(request.user, permissions.READ_POLICY),
    }
    return render(request, "policies/list.html", context, status=status)


def _detail(request: HttpRequest, version: Version, error: str = "", status: int = 200) -> HttpResponse:
    around = _around(request, version.project)
    body = selectors.as_policy(version).to_dict()
    context = around | {
        "version": version,
        "slices": slices(body),
        "seen": selectors.policy_state(version),
        "changes": differences(_body_in_force(around["active"]), body),
        "note": request.POST.get("note", version.note if version.state == "draft" else ""),
        "error": error,
    }
    return render(request, "policies/detail.html", context, status=status)


def _edit(
    request: HttpRequest, version: Version, body: Any, note: str, faults: Any = (), error: str = "", status: int = 200
) -> HttpResponse:
    context = {
        **_around(request, version.project),
        **_tried(request, version, body),
        "version": version,
        "form": form_of(body, faults),
        "note": note,
        "seen": request.POST.get("seen") or selectors.policy_state(version),
        "error": error,
        "steps": contexts.preview_steps(version.project.id),
    }
    return render(request, "policies/edit.html", context | ({"faults": faults} if faults else {}), status=status)


def _tried(request: HttpRequest, version: Version, body: Any) -> dict[str, Any]:  # a template's context
    """The body tried on the chosen step, or why that can't be."""
    faults = faults_of(body)
    step = _chosen(request, version.project)
    tried = {"faults": faults, "step": step, "preview": None, "refusal": ""}
    if faults or step is None:
        return tried
    try:
        policy = Policy.from_dict(body | {"number": version.number})
        shown = contexts.policy_preview(version.project.id, step[0], step[1], policy)
    except (contexts_errors.CannotBuild, contexts_errors.NotFound) as error:
        return tried | {"refusal": str(error)}
    return tried | {"preview": shown}


def _chosen(request: HttpRequest, project: Project) -> tuple[UUID, int] | None:
    """The step of `?step=SESSION/NUMBER`, else the newest that there is."""
    asked = request.POST.get("step") or request.GET.get("step", "")
    session, _slash, number = asked.partition("/")
    try:
        return UUID(session), integer_of(number) or 0
    except ValueError:  # nothing was chosen
        found = contexts.preview_steps(project.id, limit=1)
        return (found[0].session_id, found[0].number) if found else None


def _body_in_force(active: Version) -> dict[str, Any]:  # JSON of a policy
    return Policy().to_dict() if active is None else selectors.as_policy(active).to_dict()
