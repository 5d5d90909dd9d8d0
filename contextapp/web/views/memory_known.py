"""Known-answer items on the desk, what they were once the vote is given, and the figures about reviewers for admins."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contextapp.accounts import permissions
from contextapp.accounts.services import actor_name
from contextapp.memory import errors, known_answers, selectors, services
from contextapp.memory.choices import SCOPES
from contextapp.web import desk
from contextapp.web.access import Project, with_known, with_project
from contextapp.web.parameters import integer_of

type Known = Any  # a model, which a door does not import


def show_known(request: HttpRequest, known: Known, *, refusal: str = "", status: int = 200) -> HttpResponse:
    """The desk as for any record; the page has no sign of what it is. Nothing typed is lost by a refusal."""
    address = reverse("memory:known", args=[known.pk])
    if not request.htmx and request.method == "POST" and not refusal:
        return redirect(address)
    page = services.as_record(known)
    record = page.revision
    reviewer = actor_name(request.user)
    context = {
        "project": known.project,
        "record": record,
        "desk": desk.desk(page, reviewer=reviewer, entered=request.POST if refusal else None, refusal=refusal),
        "page": page,
        "may_review": True,
        "addresses": {"decide": reverse("memory:known-decide", args=[known.pk]), "leave": reverse("memory:list")},
        "lifetimes": desk.LIFETIMES.items(),
        "scopes": [(value, label) for value, label in SCOPES if selectors.is_narrower(value, record.scope)],
        "reasons": selectors.REASONS,
        "undoable": selectors.undoable([known.project_id], reviewer),
    }
    part = "#desk" if request.htmx.target == "desk" else ""
    response = render(request, f"memory/detail.html{part}", context, status=status)
    if part and not refusal:
        response["HX-Push-Url"] = address
    return response


@require_safe
@with_known(permissions.REVIEW_MEMORY)
def detail(request: HttpRequest, known: Known) -> HttpResponse:
    if known.reviewer != actor_name(request.user):
        return redirect("memory:list")  # it was put before somebody else
    return show_known(request, known) if known.voted_at is None else _told(request, known)


@require_POST
@with_known(permissions.REVIEW_MEMORY)
def decide(request: HttpRequest, known: Known) -> HttpResponse:
    """The vote, and then what it was."""
    if known.reviewer != actor_name(request.user):
        return redirect("memory:list")
    is_approval = request.POST.get("action") in ("approve", "release")
    try:
        services.answer(
            known_id=known.pk,
            reviewer=request.user,
            verdict=request.POST.get("action", "")[:14],
            reason_code=request.POST.get("reason_code", ""),
            note=request.POST.get("approve_note" if is_approval else "decline_note", "").strip(),
            ms_on_screen=integer_of(request.POST.get("ms_on_screen", "")),
        )
    except errors.AlreadyDecided:
        return _told(request, known)
    except errors.MemoryRefused as refused:
        return show_known(request, known, refusal=str(refused), status=422)
    known.refresh_from_db()
    return _told(request, known)


@require_safe
@with_project(permissions.MANAGE_MEMBERS)
def quality(request: HttpRequest, project: Project) -> HttpResponse:
    """Per reviewer; no ranking, and for admins alone."""
    context = {"project": project, "quality": selectors.reviewer_quality(project.id)}
    return render(request, "memory/quality.html", context)


def _told(request: HttpRequest, known: Known) -> HttpResponse:
    item = known_answers.named(known.item)
    verdicts = {True: _("You saw it."), False: _("You took it for something else."), None: _("You left it open.")}
    context = {
        "project": known.project,
        "known": known,
        "item": item,
        "said": verdicts[services.is_right(known)],
    }
    part = "#desk" if request.htmx.target == "desk" else ""
    return render(request, f"memory/known.html{part}", context)
