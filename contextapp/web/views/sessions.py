"""The first page: the sessions of a project by workspace, or those of one workspace. Reads counters, never payloads."""

from __future__ import annotations

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from contextapp.accounts import permissions
from contextapp.eventlog import selectors as eventlog
from contextapp.web import access, listing
from contextapp.web.access import Project, with_project
from contextapp.web.parameters import choice, integer

PERIODS = {"": None, "24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
TEXT_LIMIT = 200


@require_safe
@with_project(permissions.READ)
def list_(request: HttpRequest, project: Project) -> HttpResponse:
    """The page; only its rows for htmx, which continues the list in place."""
    filters = _filters(request)
    if filters.workspace_id is None:
        found = eventlog.group_sessions([project.id], filters, after=integer(request, "after"))
        page = listing.by_workspace(found, request.GET)
    else:
        found = eventlog.list_sessions([project.id], filters, request.GET.get("cursor", ""))
        page = listing.of_workspace(found, request.GET)
    integrity = eventlog.integrity_of([row.id for group in page.groups for row in group.rows])
    if request.htmx.target in ("more", f"more-{filters.workspace_id}"):
        return render(request, "sessions/list.html#rows", {"page": page, "integrity": integrity})
    context = {
        "integrity": integrity,
        "project": project,
        "page": page,
        "filters": filters,
        "choices": listing.choices(eventlog.menus([project.id]), page.total, request.GET),
        "flags": listing.flags(request.GET),
        "is_filtered": filters != eventlog.SessionFilters(),
        "guided": next((row for group in page.groups for row in group.rows if row.guide), None),
        "may_import": access.may(request, project, permissions.IMPORT),
    }
    return render(request, "sessions/list.html", context)


def _filters(request: HttpRequest) -> eventlog.SessionFilters:
    period = PERIODS[choice(request, "period", tuple(PERIODS))]
    return eventlog.SessionFilters(
        text=request.GET.get("q", "").strip()[:TEXT_LIMIT],
        workspace_id=integer(request, "workspace"),
        agent=request.GET.get("agent", ""),
        model=request.GET.get("model", ""),
        marks=tuple(mark for mark in request.GET.getlist("flag") if mark in eventlog.MARKS),
        since=None if period is None else timezone.now() - period,
    )
