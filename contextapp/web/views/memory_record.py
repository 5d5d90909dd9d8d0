"""One memory record: the desk with its three panes, and the decisions made there. Every refusal keeps what was typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contextapp.accounts import permissions
from contextapp.accounts.services import actor_name
from contextapp.contexts import selectors as contexts
from contextapp.contexts import services as context_services
from contextapp.memory import errors, selectors, services
from contextapp.memory.choices import SCOPES
from contextapp.web import desk
from contextapp.web.access import may, with_record
from contextapp.web.parameters import integer_of
from contextapp.web.round import begin_round, claim_next, queue_filters
from contextapp.web.views.memory_known import show_known

# A record is a model, which a door does not import; views read its fields only.
type Record = Any

CONFLICT, REFUSED = 409, 422


@require_safe
@with_record
def detail(request: HttpRequest, record: Record) -> HttpResponse:
    """Opening it claims it for six minutes, if the visitor may decide and nobody else has it."""
    may_review = may(request, record.project, permissions.REVIEW_MEMORY)
    holder = None
    if may_review and record.state in selectors.WAITING:
        try:
            record = services.claim(revision_id=record.pk, reviewer=request.user)
        except errors.ClaimHeld as held:
            holder = held
        begin_round(request)
    return _show(request, record, may_review=may_review, holder=holder)


@require_POST
@with_record(permissions.REVIEW_MEMORY)
def decide(request: HttpRequest, record: Record) -> HttpResponse:
    """One of DECISIONS on exactly what was on the screen; then the next record of the queue."""
    action = request.POST.get("action", "")
    decision = DECISIONS.get(action)
    if decision is None:
        return _refused(request, record, _("“%(action)s” is no decision.") % {"action": action[:40]}, REFUSED)
    try:
        look = _look(request)
        decided = decision(request, record, look)
    except errors.Stale as stale:
        return _refused(request, stale.revision, str(stale), CONFLICT, seen=record)
    except errors.AlreadyDecided as late:
        record.refresh_from_db()
        return _refused(request, record, str(late), CONFLICT)
    except (errors.MemoryRefused, ValueError) as refused:
        record.refresh_from_db()
        asks_again = getattr(refused, "field", "") == "sure"
        return _refused(request, record, str(refused), REFUSED, asks_again=asks_again)
    return _go_on(request, record, decided)


@require_POST
@with_record(permissions.REVIEW_MEMORY)
def undo(request: HttpRequest, record: Record) -> HttpResponse:
    try:
        services.undo(revision_id=record.pk, reviewer=request.user)
        messages.success(request, _("The decision on %(reference)s is taken back.") % {"reference": record.reference})
    except errors.MemoryRefused as refused:
        messages.error(request, str(refused))
    return _to(request, reverse("memory:detail", args=[record.pk]))


@require_POST
@with_record(permissions.REVIEW_MEMORY)
def claim(request: HttpRequest, record: Record) -> HttpResponse:
    """The heartbeat of an open desk, and `take over` after a claim has ended."""
    try:
        services.claim(revision_id=record.pk, reviewer=request.user)
    except errors.ClaimHeld as held:
        if request.htmx:
            return render(
                request, "memory/detail.html#claim-holder", {"holder": held, "record": record}, status=CONFLICT
            )
        messages.warning(request, str(held))
    if request.htmx:
        return HttpResponse(status=204)
    return redirect("memory:detail", record.pk)


@require_safe
@with_record
def effect(request: HttpRequest, record: Record) -> HttpResponse:
    """What it would have done at recorded steps, and what it did. The desk asks after it is drawn; a job computes."""
    found = contexts.would_have(record)
    if found is None or not found.is_current:
        context_services.request_counterfactual(memory_id=record.pk, project_id=record.project_id)
    entered, entered_count = contexts.steps_entered(record)
    context = {
        "record": record,
        "project": record.project,
        "found": found,
        "entered": entered,
        "entered_count": entered_count,
        "kept_out": contexts.steps_kept_out(record) if not request.htmx else (),
        "titles": contexts.titles_of([entry["session"] for entry in found.entered]) if found else {},
    }
    part = "#effect" if request.htmx else ""
    return render(request, f"memory/effect.html{part}", context)


@require_POST
@with_record(permissions.REVIEW_MEMORY)
def leave(request: HttpRequest, record: Record) -> HttpResponse:
    """Back to the queue; the claim is let go."""
    services.let_go(revision_id=record.pk, reviewer=request.user)
    return _to(request, reverse("memory:list"))


def _approve(request: HttpRequest, record: Record, look: services.Look) -> Record:
    return services.approve(
        revision_id=record.pk,
        reviewer=request.user,
        look=look,
        note=_text(request, "approve_note"),
        supersede=_number(request, "supersede"),
        valid_until=desk.lifetime(request),
        sure=request.POST.get("sure") == "1",
    )


def _reject(request: HttpRequest, record: Record, look: services.Look) -> Record:
    return services.reject(revision_id=record.pk, look=look, **_reasons(request))


def _quarantine(request: HttpRequest, record: Record, look: services.Look) -> Record:
    return services.quarantine(revision_id=record.pk, look=look, **_reasons(request))


def _revoke(request: HttpRequest, record: Record, look: services.Look) -> Record:
    return services.revoke(revision_id=record.pk, look=look, **_reasons(request))


def _release(request: HttpRequest, record: Record, look: services.Look) -> Record:
    return services.release(
        revision_id=record.pk, reviewer=request.user, look=look, note=_text(request, "approve_note")
    )


def _verify(request: HttpRequest, record: Record, look: services.Look) -> Record:
    return services.verify(revision_id=record.pk, reviewer=request.user, look=look, note=_text(request, "approve_note"))


def _skip(request: HttpRequest, record: Record, look: services.Look) -> Record:
    return services.skip(revision_id=record.pk, reviewer=request.user, look=look, note=_text(request, "skip_note"))


def _reword(request: HttpRequest, record: Record, look: services.Look) -> Record:
    note = _text(request, "change_note")
    return services.reword(
        revision_id=record.pk, reviewer=request.user, look=look, claim=request.POST.get("claim", ""), note=note
    )


def _narrow(request: HttpRequest, record: Record, look: services.Look) -> Record:
    return services.narrow(
        revision_id=record.pk,
        reviewer=request.user,
        look=look,
        scope=request.POST.get("scope", ""),
        scope_key=_text(request, "scope_key"),
        note=_text(request, "narrow_note"),
    )


DECISIONS: dict[str, Callable[[HttpRequest, Record, services.Look], Record]] = {
    "approve": _approve,
    "reject": _reject,
    "quarantine": _quarantine,
    "revoke": _revoke,
    "release": _release,
    "verify": _verify,
    "skip": _skip,
    "reword": _reword,
    "narrow": _narrow,
}
STAYS = frozenset({"reword", "narrow", "release", "verify"})  # what comes next is the same record


def _show(request: HttpRequest, record: Record, *, status: int = 200, **extra: Any) -> HttpResponse:
    """The page, or for htmx the desk alone. `extra`: what the case adds to the context."""
    reviewer = actor_name(request.user)
    may_review = extra.pop("may_review", True)
    page = selectors.record_page(record, hide_notes_from=reviewer if may_review else "")
    shown = desk.desk(
        page,
        reviewer=reviewer,
        entered=extra.pop("entered", None),
        refusal=extra.pop("refusal", ""),
        changed=extra.pop("changed", ()),
    )
    context = {
        "project": record.project,
        "record": record,
        "desk": shown,
        "page": page,
        "may_review": may_review,
        "addresses": addresses_of(record),
        "lifetimes": desk.LIFETIMES.items(),
        "scopes": [(value, label) for value, label in SCOPES if selectors.is_narrower(value, record.scope)],
        "reasons": selectors.REASONS,
        "queue": queue_filters(request, record.project),
        "undoable": selectors.undoable([record.project_id], reviewer) if may_review else None,
        **extra,
    }
    part = "#desk" if request.htmx.target == "desk" else ""
    return render(request, f"memory/detail.html{part}", context, status=status)


def addresses_of(record: Record) -> dict[str, str]:
    """Where the forms of the desk go."""
    return {name: reverse(f"memory:{name}", args=[record.pk]) for name in ("decide", "leave", "claim", "effect")}


def _refused(
    request: HttpRequest, record: Record, why: str, status: int, seen: Record | None = None, asks_again: bool = False
) -> HttpResponse:
    """The desk again, as the record stands now, with what was typed and, for a conflict, what changed."""
    changed = (
        () if seen is None else selectors.changes_between(seen, record, int(request.POST.get("version", "0") or 0))
    )
    return _show(
        request, record, status=status, entered=request.POST, refusal=why, changed=changed, asks_again=asks_again
    )


def _go_on(request: HttpRequest, record: Record, decided: Record) -> HttpResponse:
    action = request.POST["action"]
    if action in STAYS:
        return _to(request, reverse("memory:detail", args=[decided.pk]))
    known = services.due_known_answer(project=record.project, reviewer=request.user)
    if known is not None:
        return show_known(request, known)
    following = claim_next(request, record.project, after=record.pk)
    if following is None:
        return _to(request, reverse("memory:round"))
    if request.htmx:
        response = _show(request, following)
        response["HX-Push-Url"] = reverse("memory:detail", args=[following.pk])
        return response
    return redirect("memory:detail", following.pk)


def _to(request: HttpRequest, address: str) -> HttpResponse:
    if request.htmx:
        response = HttpResponse(status=204)
        response["HX-Redirect"] = address
        return response
    return HttpResponseRedirect(address)


def _look(request: HttpRequest) -> services.Look:
    try:
        digest = bytes.fromhex(request.POST.get("shown_sha256", ""))
        version = int(request.POST.get("version", ""))
    except ValueError as error:
        raise ValueError(_("The form does not say what was on the screen; reload the page.")) from error
    opened = request.POST.get("evidence_opened") in ("1", "on")
    return services.Look(version, digest, integer_of(request.POST.get("ms_on_screen", "")), opened)


def _number(request: HttpRequest, name: str) -> int | None:
    return integer_of(request.POST.get(name, ""))


def _text(request: HttpRequest, name: str) -> str:
    return request.POST.get(name, "").replace("\0", "").strip()


def _reasons(request: HttpRequest) -> dict[str, Any]:  # keywords of the three declining services
    return {
        "reviewer": request.user,
        "reason_code": request.POST.get("reason_code", ""),
        "note": _text(request, "decline_note"),
    }
