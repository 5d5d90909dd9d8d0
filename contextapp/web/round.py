"""A reviewer's round: which queue they go through, and since when. Kept in the login session."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone

from contextapp.accounts.services import actor_name
from contextapp.memory import errors, services
from contextapp.memory.selectors import FILTERS, ORDERS, WAITING, QueueFilters, next_in_queue

STARTED, QUEUE, ORDER = "round_started", "round_queue", "desk_order"
ENDS_AFTER = timedelta(hours=4)
TEXT_LIMIT = 200
CLAIM_TRIES = 8

type Project = Any  # a model, which a door does not import


def begin_round(request: HttpRequest) -> datetime:
    """The start of the round that goes on, or of a new one."""
    now = timezone.now()
    kept = request.session.get(STARTED)
    started = datetime.fromisoformat(kept) if kept else None
    if started is None or now - started > ENDS_AFTER:
        started = now
        request.session[STARTED] = started.isoformat()
    return started


def end_round(request: HttpRequest) -> datetime | None:
    kept = request.session.pop(STARTED, None)
    return datetime.fromisoformat(kept) if kept else None


def chosen_filters(request: HttpRequest, project: Project) -> QueueFilters:
    """The filters of the address; they are remembered as the queue of the round, and the order for good."""
    given = request.GET
    order = given.get("order") if given.get("order") in ORDERS else request.session.get(ORDER, ORDERS[0])
    request.session[ORDER] = order
    filters = QueueFilters(
        name=given.get("queue", "") if given.get("queue", "") in FILTERS else "",
        order=order,
        kind=given.get("kind", "")[:20],
        scope=given.get("scope", "")[:20],
        source=_uuid(given.get("source", "")),
        text=given.get("q", "").strip()[:TEXT_LIMIT],
        reviewer=actor_name(request.user),
    )
    request.session[QUEUE] = {
        "project": project.slug, "name": filters.name, "kind": filters.kind, "scope": filters.scope,
        "source": str(filters.source or ""), "text": filters.text,
    }  # fmt: skip
    return filters


def queue_filters(request: HttpRequest, project: Project) -> QueueFilters:
    """The queue that the reviewer came from, if it is this project's; else everything that waits."""
    kept = request.session.get(QUEUE, {})
    order = request.session.get(ORDER, ORDERS[0])
    reviewer = actor_name(request.user)
    if kept.get("project") != project.slug:
        return QueueFilters(order=order, reviewer=reviewer)
    return QueueFilters(
        name=kept["name"], order=order, kind=kept["kind"], scope=kept["scope"], source=_uuid(kept["source"]),
        text=kept["text"], reviewer=reviewer,
    )  # fmt: skip


def claim_next(request: HttpRequest, project: Project, *, after: int | None) -> Any:
    """The next record of the round, claimed; None when nothing is left that nobody else has open."""
    filters = queue_filters(request, project)
    reviewer = actor_name(request.user)
    following = None
    for _attempt in range(CLAIM_TRIES):
        following = next_in_queue([project.id], filters, after=after, reviewer=reviewer)
        if following is None or following.state not in WAITING:
            return following
        try:
            return services.claim(revision_id=following.pk, reviewer=request.user)
        except errors.ClaimHeld:
            continue  # somebody was faster; it is not free any more
    return following  # shown all the same; a decision on it is guarded by its version


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
