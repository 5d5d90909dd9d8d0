"""API keys of a project: made, rotated with an overlap, revoked. A key is shown once, in the answer that made it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contextapp.accounts import permissions, services
from contextapp.accounts import selectors as accounts
from contextapp.accounts.services import actor_name
from contextapp.web.access import Project, with_settings
from contextapp.web.views.settings.page import settings_page

LIFETIMES = {"": None, "30": timedelta(days=30), "90": timedelta(days=90), "365": timedelta(days=365)}
OVERLAPS = {"1": timedelta(hours=1), "24": timedelta(hours=24), "168": timedelta(hours=168)}
NAME_CHARS = 100


@require_safe
@with_settings(permissions.READ_SETTINGS)
def list_(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project)


@require_POST
@with_settings(permissions.MANAGE_KEYS)
def new(request: HttpRequest, project: Project) -> HttpResponse:
    name, scopes = request.POST.get("name", "").strip()[:NAME_CHARS], request.POST.getlist("scope")
    lifetime = request.POST.get("days", "")
    if not name or not scopes or set(scopes) - set(dict(accounts.SCOPES)) or lifetime not in LIFETIMES:
        text = _("A key needs a name and at least one scope.")
        return _page(request, project, error=text, entered=request.POST, chosen=scopes, status=422)
    length = LIFETIMES[lifetime]
    made, shown = services.create_api_key(
        project=project,
        name=name,
        scopes=scopes,
        by=request.user,
        expires_at=None if length is None else timezone.now() + length,
    )
    return _page(request, project, shown=shown, made=made, status=201)


@require_POST
@with_settings(permissions.MANAGE_KEYS)
def rotate(request: HttpRequest, project: Project, key_id: str) -> HttpResponse:
    overlap = OVERLAPS.get(request.POST.get("hours", "24"), OVERLAPS["24"])
    try:
        made, shown = services.rotate_api_key(key=_key(project, key_id), overlap=overlap, by=request.user)
    except ValueError:
        text = _("The key %(key)s opens nothing any more. Make a new one instead of rotating it.")
        return _page(request, project, error=text % {"key": key_id}, status=409)
    return _page(request, project, shown=shown, made=made, replaced=key_id, status=201)


@require_POST
@with_settings(permissions.MANAGE_KEYS)
def revoke(request: HttpRequest, project: Project, key_id: str) -> HttpResponse:
    services.revoke_api_key(key=_key(project, key_id), by=actor_name(request.user))
    messages.success(request, _("The key %(key)s is revoked; it opens nothing any more.") % {"key": key_id})
    return redirect("settings:keys", project.slug)


def _key(project: Project, key_id: str) -> Any:  # a key; doors don't name models
    found = accounts.api_key_of(project, key_id)
    if found is None:
        raise Http404(f"key {key_id}")
    return found


def _page(request: HttpRequest, project: Project, status: int = 200, **more: Any) -> HttpResponse:
    keys, now = list(accounts.api_keys_of(project)), timezone.now()
    context = {
        "keys": keys,
        "live": sum(1 for key in keys if not key.revoked_at and (key.expires_at is None or key.expires_at > now)),
        "now": now,
        "scopes": accounts.SCOPES,
        "lifetimes": list(LIFETIMES),
        "overlaps": list(OVERLAPS),
        "chosen": ["ingest", "build", "read"],
        **more,
    }
    return settings_page(request, project, "keys", context, status)
