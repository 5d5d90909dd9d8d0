"""Members of a project: who is in as what, invitations, changes of role, removal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contextapp.accounts import permissions, services
from contextapp.accounts import selectors as accounts
from contextapp.accounts.errors import LastAdmin
from contextapp.accounts.services import actor_name
from contextapp.web.access import Project, with_settings
from contextapp.web.views.settings.page import settings_page

LIFETIMES = {"1": timedelta(days=1), "7": timedelta(days=7), "30": timedelta(days=30)}


@require_safe
@with_settings(permissions.READ_SETTINGS)
def list_(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project)


@require_POST
@with_settings(permissions.MANAGE_MEMBERS)
def invite(request: HttpRequest, project: Project) -> HttpResponse:
    """The link is shown in the answer and nowhere else."""
    role, days = request.POST.get("role", ""), request.POST.get("days", "")
    if role not in dict(accounts.ROLES) or days not in LIFETIMES:
        return _page(request, project, error=_("Choose a role and for how long the invitation holds."), status=422)
    made, token = services.create_invitation(
        project=project, role=role, lifetime=LIFETIMES[days], by=request.user, note=request.POST.get("note", "").strip()
    )
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    return _page(request, project, link=link, made=made, status=201)


@require_POST
@with_settings(permissions.MANAGE_MEMBERS)
def change_role(request: HttpRequest, project: Project, user_id: int) -> HttpResponse:
    member = _member(project, user_id)
    role = request.POST.get("role", "")
    if role not in dict(accounts.ROLES):
        return _page(request, project, error=_("“%(role)s” is not a role.") % {"role": role[:40]}, status=422)
    if request.POST.get("seen", member.role) != member.role:
        text = _("Somebody else changed this role meanwhile. Nothing was overwritten: look at what stands now.")
        return _page(request, project, error=text, status=409)
    try:
        services.add_member(project=project, user=member.user, role=role, by=actor_name(request.user))
    except LastAdmin as refused:
        return _page(request, project, error=str(refused), status=409)
    messages.success(request, _("The role of %(name)s is changed.") % {"name": member.user.get_username()})
    return redirect("settings:members", project.slug)


@require_POST
@with_settings(permissions.MANAGE_MEMBERS)
def remove(request: HttpRequest, project: Project, user_id: int) -> HttpResponse:
    member = _member(project, user_id)
    try:
        services.remove_member(project=project, user=member.user, by=actor_name(request.user))
    except LastAdmin as refused:
        return _page(request, project, error=str(refused), status=409)
    messages.success(request, _("%(name)s is no longer a member.") % {"name": member.user.get_username()})
    return redirect("settings:members" if member.user != request.user else "home", *_own(request, project, member))


@require_POST
@with_settings(permissions.MANAGE_MEMBERS)
def revoke(request: HttpRequest, project: Project, invitation_id: UUID) -> HttpResponse:
    found = accounts.invitation_of(project, invitation_id)
    if found is None:
        raise Http404(f"invitation {invitation_id}")
    services.revoke_invitation(invitation=found, by=actor_name(request.user))
    messages.success(request, _("The invitation is revoked; its link opens nothing any more."))
    return redirect("settings:members", project.slug)


def _own(request: HttpRequest, project: Project, member: Any) -> list[str]:  # a membership
    """Who removed themselves may not see the page again."""
    return [] if member.user == request.user else [project.slug]


def _member(project: Project, user_id: int) -> Any:  # a membership; doors don't name models
    found = accounts.member_of(project, user_id)
    if found is None:
        raise Http404(f"member {user_id}")
    return found


def _page(request: HttpRequest, project: Project, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "members": list(accounts.members_of(project)),
        "invitations": list(accounts.invitations_of(project)),
        "roles": accounts.ROLES,
        "lifetimes": list(LIFETIMES),
        **more,
    }
    return settings_page(request, project, "members", context, status)
