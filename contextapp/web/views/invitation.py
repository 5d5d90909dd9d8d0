"""Accepting an invitation: as the person who is logged in, or with a new account. Opening the address uses nothing up."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login as start_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from contextapp.accounts import selectors as accounts
from contextapp.accounts import services
from contextapp.accounts.errors import AccountsError, InvitationRefused, SettingRefused
from contextapp.web.access import CHOSEN, anyone
from contextapp.web.views.login import BACKEND


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@anyone
def accept(request: HttpRequest, token: str) -> HttpResponse:
    found = accounts.open_invitation(token)
    if found is None:
        return render(request, "login/invitation_expired.html", status=410)
    context = {"invitation": found, "role": dict(accounts.ROLES)[found.role], "entered": request.POST}
    if request.method != "POST":
        return render(request, "login/invitation.html", context)
    visitor = request.user if request.user.is_authenticated else None
    try:
        user = services.accept_invitation(
            token=token,
            user=visitor,
            username=request.POST.get("username", "").strip(),
            password=request.POST.get("password", ""),
        )
    except InvitationRefused:
        return render(request, "login/invitation_expired.html", status=410)
    except AccountsError as refused:
        field = refused.field if isinstance(refused, SettingRefused) else ""
        return render(request, "login/invitation.html", context | {"error": str(refused), "faulty": field}, status=422)
    if visitor is None:
        services.note_login(user=user, way="invitation")
        start_login(request, user, backend=BACKEND)
    request.session[CHOSEN] = found.project.slug
    messages.success(request, _("You are a member of %(project)s now.") % {"project": found.project.name})
    return redirect("sessions:list")
