"""What a project keeps and how much it takes: retention with a dry run, limits. The first page only points on."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contextapp.accounts import permissions, services
from contextapp.accounts import selectors as accounts
from contextapp.accounts.errors import SettingsChanged
from contextapp.accounts.services import actor_name, settings_state
from contextapp.eventlog import services as eventlog
from contextapp.web.access import CHOSEN, Project, member, with_settings
from contextapp.web.parameters import integer
from contextapp.web.views.settings.page import settings_page

LARGEST_DAYS, LARGEST_RATE = 36_500, 10_000_000


@require_safe
@member
def home(request: HttpRequest) -> HttpResponse:
    """To the project chosen before, if its settings may be seen, else to the first whose may."""
    found = accounts.projects_permitting(request.user, permissions.READ_SETTINGS)
    if not found:
        messages.error(request, _("Your role shows the settings of no project."))
        return redirect("home")
    slugs = [project.slug for project in found]
    chosen = request.session.get(CHOSEN)
    return redirect("settings:members", chosen if chosen in slugs else slugs[0])


@require_safe
@with_settings(permissions.READ_SETTINGS)
def retention(request: HttpRequest, project: Project) -> HttpResponse:
    """`?days=` shows what another number would erase; nothing is changed by looking."""
    days = integer(request, "days")
    return _retention(request, project, None if days is None else min(days, LARGEST_DAYS))


@require_POST
@with_settings(permissions.CHANGE_SETTINGS)
def change_retention(request: HttpRequest, project: Project) -> HttpResponse:
    """What would be erased is confirmed by typing the project's address name."""
    text = request.POST.get("days", "").strip()
    days = _number(text, LARGEST_DAYS)
    if text and days is None:
        words = _("“%(value)s” is not a number of days between 1 and %(limit)s; empty keeps everything.")
        return _retention(
            request, project, None, error=words % {"value": text[:40], "limit": f"{LARGEST_DAYS:,}"}, status=422
        )
    erases_more = days is not None and (project.retention_days is None or days < project.retention_days)
    if erases_more and request.POST.get("confirm", "").strip() != project.slug:
        words = _("Nothing is changed yet. This erases content for good: type %(slug)s to confirm it.")
        return _retention(request, project, days, error=words % {"slug": project.slug}, status=422)
    return _change(request, project, "retention", {"retention_days": days}, _retention)


@require_safe
@with_settings(permissions.READ_SETTINGS)
def limits(request: HttpRequest, project: Project) -> HttpResponse:
    return _limits(request, project)


@require_POST
@with_settings(permissions.CHANGE_SETTINGS)
def change_limits(request: HttpRequest, project: Project) -> HttpResponse:
    text = request.POST.get("events", "").strip()
    events = _number(text, LARGEST_RATE)
    if text and events is None:
        words = _("“%(value)s” is not a number of events between 1 and %(limit)s; empty is the installation's limit.")
        return _limits(request, project, error=words % {"value": text[:40], "limit": f"{LARGEST_RATE:,}"}, status=422)
    return _change(request, project, "limits", {"limit_events_per_minute": events}, _limits)


def _change(request: HttpRequest, project: Project, group: str, values: dict[str, Any], page: Any) -> HttpResponse:
    try:
        services.change_settings(
            project=project, group=group, values=values, seen=request.POST.get("seen", ""), by=actor_name(request.user)
        )
    except SettingsChanged as changed:
        project.refresh_from_db()
        return page(request, project, error=str(changed), status=409)
    messages.success(request, _("The settings are changed."))
    return redirect(f"settings:{group}", project.slug)


def _number(text: str, largest: int) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 and 1 <= int(text) <= largest else None


def _retention(
    request: HttpRequest, project: Project, days: int | None = None, status: int = 200, error: str = ""
) -> HttpResponse:
    context = {
        "seen": settings_state(project, "retention"),
        "days": project.retention_days if days is None else days,
        "is_tried": days is not None and days != project.retention_days,
        "plan": eventlog.retention_plan(project, days=days),
        "error": error,
    }
    return settings_page(request, project, "retention", context, status)


def _limits(request: HttpRequest, project: Project, status: int = 200, error: str = "") -> HttpResponse:
    context = {
        "seen": settings_state(project, "limits"),
        "sizes": [
            (_("Request body"), settings.API_BODY_LIMIT_BYTES, "API_BODY_LIMIT_BYTES"),
            (_("One event"), settings.API_EVENT_LIMIT_BYTES, "API_EVENT_LIMIT_BYTES"),
            (_("Upload on a page"), settings.DATA_UPLOAD_MAX_MEMORY_SIZE, "UPLOAD_LIMIT_BYTES"),
            (_("Line of a transcript"), settings.IMPORT_LINE_LIMIT_BYTES, "IMPORT_LINE_LIMIT_BYTES"),
        ],
        "batch_limit": settings.API_BATCH_LIMIT,
        "depth_limit": settings.API_JSON_DEPTH_LIMIT,
        "rates": [
            (_("Requests of one key in a minute"), settings.API_REQUESTS_PER_MINUTE, "API_REQUESTS_PER_MINUTE"),
            (_("Events of one project in a minute"), settings.API_EVENTS_PER_MINUTE, "API_EVENTS_PER_MINUTE"),
        ],
        "usage": accounts.usage_of(project),
        "error": error,
    }
    return settings_page(request, project, "limits", context, status)
