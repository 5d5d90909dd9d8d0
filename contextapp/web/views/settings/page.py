"""What every page of the settings shows around its own part. Decides nothing."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from contextapp.accounts import permissions
from contextapp.accounts import selectors as accounts
from contextapp.web.access import Project


def settings_page(
    request: HttpRequest, project: Project, name: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """`context` is what the page's own template needs."""
    tabs = [
        ("members", _("Members")),
        ("keys", _("API keys")),
        ("masking", _("Masking")),
        ("retention", _("Retention")),
        ("limits", _("Limits")),
        ("summaries", _("Summaries")),
        ("audit", _("Audit")),
        ("checkpoints", _("Checkpoints")),
    ]
    around = {
        "project": project,
        "tab": name,
        "tabs": [(f"settings:{tab}", tab, label) for tab, label in tabs],
        "projects": accounts.projects_permitting(request.user, permissions.READ_SETTINGS),
        "permitted": request.permitted,
    }
    return render(request, f"settings/{name}.html", around | context, status=status)
