"""The memory of a project: the reviewers' queue, bulk decisions, a person's own proposal, the end of a round."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contextapp.accounts import permissions
from contextapp.accounts.services import actor_name
from contextapp.memory import errors, selectors, services
from contextapp.memory.choices import KINDS, SCOPES
from contextapp.web.access import Project, may, with_project
from contextapp.web.parameters import integer
from contextapp.web.round import begin_round, chosen_filters, claim_next, end_round


@require_safe
@with_project
def list_(request: HttpRequest, project: Project) -> HttpResponse:
    filters = chosen_filters(request, project)
    page = selectors.list_queue([project.id], filters, offset=integer(request, "offset") or 0)
    context = {
        "project": project,
        "page": page,
        "filters": filters,
        "queues": selectors.FILTERS.items(),
        "kinds": KINDS,
        "scopes": SCOPES,
        "reasons": selectors.REASONS,
        "header": selectors.desk_header([project.id], actor_name(request.user)),
        "undoable": selectors.undoable([project.id], actor_name(request.user)),
        "may_review": may(request, project, permissions.REVIEW_MEMORY),
        "may_propose": may(request, project, permissions.PROPOSE_MEMORY),
    }
    part = "#rows" if request.htmx.target == "more" else ""
    return render(request, f"memory/list.html{part}", context)


@require_POST
@with_project(permissions.REVIEW_MEMORY)
def bulk(request: HttpRequest, project: Project) -> HttpResponse:
    """Decisions on an explicit list of records and versions: what came after the page was drawn is not among them."""
    try:
        results = services.decide_many(
            project_id=project.id,
            reviewer=request.user,
            action=request.POST.get("action", ""),
            chosen=services.chosen_from(request.POST.getlist("record")),
            reason_code=request.POST.get("reason_code", ""),
            note=request.POST.get("note", "").strip(),
        )
    except (errors.MemoryRefused, ValueError) as refused:
        messages.error(request, str(refused))
        return redirect("memory:list")
    for result in results:
        (messages.success if result.is_done else messages.error)(request, f"{result.reference}: {result.message}")
    return redirect("memory:list")


@require_http_methods(["GET", "HEAD", "POST"])
@with_project(permissions.PROPOSE_MEMORY, own=True)
def new(request: HttpRequest, project: Project) -> HttpResponse:
    """A person's own proposal. Somebody else approves it."""
    error = ""
    if request.method == "POST":
        given = {
            name: request.POST.get(name, "").strip()
            for name in ("claim", "kind", "scope", "scope_key", "conflict_key", "why")
        }
        try:
            proposed = services.propose(
                project=project,
                claim=given["claim"],
                kind=given["kind"],
                scope=given["scope"],
                scope_key=given["scope_key"],
                conflict_key=given["conflict_key"],
                source=given["why"] or _("a person, in words of their own"),
                proposed_by=actor_name(request.user),
                proposer_kind="person",
            )
        except errors.MemoryRefused as refused:
            error = str(refused)
        else:
            if proposed.revision is not None:
                return redirect("memory:detail", proposed.revision.pk)
            error = _("People declined this claim before.")
    context = {"project": project, "kinds": KINDS, "scopes": SCOPES, "entered": request.POST, "error": error}
    return render(request, "memory/new.html", context, status=422 if error else 200)


@require_safe
@with_project(permissions.REVIEW_MEMORY)
def start(request: HttpRequest, project: Project) -> HttpResponse:
    """Opens the first free record of the queue."""
    begin_round(request)
    first = claim_next(request, project, after=None)
    return redirect("memory:detail", first.pk) if first is not None else redirect("memory:round")


@require_safe
@with_project(permissions.REVIEW_MEMORY)
def round_(request: HttpRequest, project: Project) -> HttpResponse:
    """What was decided in the round that ends here."""
    started = end_round(request)
    summary = selectors.round_summary([project.id], actor_name(request.user), started)
    context = {
        "project": project,
        "summary": summary,
        "header": selectors.desk_header([project.id], actor_name(request.user)),
        "undoable": selectors.undoable([project.id], actor_name(request.user)),
        "list_address": reverse("memory:list"),
    }
    return render(request, "memory/round.html", context)
