"""Who writes a project's summaries: nobody but ourselves, or a model behind an address. A key is taken and never shown."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contextapp.accounts import permissions
from contextapp.accounts.services import actor_name
from contextapp.compaction import selectors
from contextapp.compaction.errors import SummariserChanged, SummariserRefused
from contextapp.compaction.services import Choice, choose_summariser
from contextapp.web.access import Project, with_settings
from contextapp.web.views.settings.page import settings_page


@require_safe
@with_settings(permissions.READ_SETTINGS)
def detail(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project)


@require_POST
@with_settings(permissions.CHANGE_SETTINGS)
def change(request: HttpRequest, project: Project) -> HttpResponse:
    given = request.POST
    key = given.get("key", "").strip()
    window = given.get("window_tokens", "").replace(",", "").strip()
    choice = Choice(
        kind=given.get("kind", ""),
        base_url=given.get("base_url", "").strip()[:500],
        model=given.get("model", "").strip(),
        window_tokens=int(window) if window.isascii() and window.isdecimal() and len(window) < 10 else 0,
        key=key if key else "" if given.get("forget_key") else None,
    )
    seen = given.get("seen", "")
    try:
        choose_summariser(
            project=project, choice=choice, seen=int(seen) if seen.isdecimal() else -1, by=actor_name(request.user)
        )
    except SummariserChanged as changed:
        return _page(request, project, error=str(changed), status=409)
    except SummariserRefused as refused:
        return _page(request, project, entered=choice, error=str(refused), faulty=refused.field, status=422)
    messages.success(request, _("The settings are changed."))
    return redirect("settings:summaries", project.slug)


def _page(
    request: HttpRequest,
    project: Project,
    entered: Choice | None = None,
    error: str = "",
    faulty: str = "",
    status: int = 200,
) -> HttpResponse:
    stored = selectors.summariser_setting(project)
    context = {
        "shown": entered or stored,
        "seen": stored.version,
        "has_key": bool(stored.key_sealed),
        "kinds": selectors.KINDS,
        "error": error,
        "faulty": faulty,
    }
    return settings_page(request, project, "summaries", context, status)
