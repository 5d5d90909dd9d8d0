"""How a project masks: its mode, the rules that always hold, rules of its own, and a text to try them on."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contextapp.accounts import permissions
from contextapp.accounts.errors import SettingRefused, SettingsChanged
from contextapp.accounts.services import actor_name, settings_state
from contextapp.eventlog import services
from contextapp.eventlog.masking.examples import explained_rules
from contextapp.web.access import Project, with_settings
from contextapp.web.views.settings.page import settings_page

EMPTY_ROWS = 2


@require_safe
@with_settings(permissions.READ_SETTINGS)
def detail(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project)


@require_POST
@with_settings(permissions.CHANGE_SETTINGS)
def change(request: HttpRequest, project: Project) -> HttpResponse:
    mode, rules = request.POST.get("mode", ""), _rules(request)
    try:
        services.change_masking(
            project=project, mode=mode, rules=rules, seen=request.POST.get("seen", ""), by=actor_name(request.user)
        )
    except SettingRefused as refused:
        return _page(request, project, error=refused.reason, faulty=refused.field, mode=mode, rules=rules, status=422)
    except SettingsChanged as changed:
        return _page(request, project, error=str(changed), lost=rules, status=409)
    messages.success(request, _("The masking is changed. It holds for what is stored from now on."))
    return redirect("settings:masking", project.slug)


@require_POST
@with_settings(permissions.READ_SETTINGS)
def try_(request: HttpRequest, project: Project) -> HttpResponse:
    """Keeps nothing: neither the text nor the rules that stand in the form."""
    text = request.POST.get("text", "").replace("\r\n", "\n")
    rules = [(rule["id"], rule["pattern"]) for rule in project.masking_rules]
    masked, counts = services.try_text(text=text, rules=rules)
    return _page(request, project, tried=text, masked=masked, counts=counts)


def _rules(request: HttpRequest) -> list[tuple[str, str]]:
    """Rows of the form; one without name and pattern is no rule."""
    names, patterns = request.POST.getlist("name"), request.POST.getlist("pattern")
    rows = [(name.strip(), pattern) for name, pattern in zip(names, patterns, strict=False)]
    return [row for row in rows if row[0] or row[1]]


def _page(request: HttpRequest, project: Project, status: int = 200, **more: Any) -> HttpResponse:
    stored = [(rule["id"], rule["pattern"]) for rule in project.masking_rules]
    shown = more.pop("rules", stored)
    context = {
        "seen": request.POST.get("seen") if status == 422 else settings_state(project, "masking"),
        "mode": project.masking_mode,
        "rows": [*shown, *[("", "")] * EMPTY_ROWS],
        "built_in": explained_rules(),
        "own_count": len(stored),
        **more,
    }
    return settings_page(request, project, "masking", context, status)
