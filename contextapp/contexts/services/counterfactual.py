"""In which recorded calls of the last 30 days a memory record would have stood, and what it would have displaced.

A job: the desk shows what is there and never waits. The memory bucket alone is filled again, with the state that each call
had and the records approved today.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from contextapp.contexts.counts import Counts
from contextapp.contexts.errors import CannotBuild
from contextapp.contexts.loading import inputs_of, profile_of, with_memory
from contextapp.contexts.models import Counterfactual, Step
from contextapp.contexts.rebuilding import place_of
from contextapp.contexts.states import nearest_snapshot
from contextapp.engine.counterfactual import Effect, effect
from contextapp.engine.inputs import MemoryRevision
from contextapp.engine.policy import Policy
from contextapp.engine.projection.fold import Fold
from contextapp.eventlog import selectors as log
from contextapp.eventlog.models import Session
from contextapp.jobs.handle import JobHandle
from contextapp.jobs.services import enqueue
from contextapp.memory.selectors import few_in_scope, revision_named
from contextapp.policy.selectors import active_policy

COUNTERFACTUAL = "contexts.counterfactual"
DAYS = 30
MOST_STEPS = 2_000
PAGE_EVENTS = 500
KEPT_ENTRIES = 200


@dataclass(slots=True)
class _Found:
    considered: int = 0
    steps_entered: int = 0
    entered: list[dict[str, Any]] = field(default_factory=list)  # JSON of Counterfactual.entered
    kept_out: Counter[str] = field(default_factory=Counter)


def request_counterfactual(*, memory_id: int, project_id: UUID) -> None:
    """Put it on the list of work; one that waits or runs already is not doubled."""
    enqueue(kind=COUNTERFACTUAL, key=str(memory_id), payload={"memory": memory_id}, project_id=project_id)


def counterfactual_job(job: JobHandle) -> None:
    find_counterfactual(memory_id=int(job.payload["memory"]), progress=job)


def find_counterfactual(
    *, memory_id: int, progress: JobHandle | None = None, now: datetime | None = None
) -> Counterfactual | None:
    """Compute and keep it; None when there is no such record any more."""
    named = revision_named(memory_id)
    if named is None:
        return None
    record, candidate = named
    since = (now or timezone.now()) - timedelta(days=DAYS)
    steps = _steps(record.project_id, record.scope, record.scope_key, since)
    total = steps.count()
    chosen = list(steps[:MOST_STEPS])
    found = _Found()
    policy = active_policy(record.project_id)
    for session_id, group in _by_session(chosen):
        _replay(session_id, group, candidate, policy, found)
        if progress is not None:
            progress.progress(found.considered, len(chosen))
    made, _is_new = Counterfactual.objects.update_or_create(
        memory_id=memory_id,
        defaults={
            "project_id": record.project_id,
            "version": record.version,
            "since": since,
            "steps_considered": found.considered,
            "steps_left_out": max(0, total - len(chosen)),
            "steps_entered": found.steps_entered,
            "entered": found.entered,
            "kept_out": dict(found.kept_out),
        },
    )
    return made


def _steps(project_id: UUID, scope: str, scope_key: str, since: datetime) -> QuerySet[Step]:
    """The newest calls first, of the sessions that the record's scope can reach at all."""
    sessions = Session.objects.filter(project_id=project_id, erased_at=None, step_count__gt=0)
    if scope == "session":
        sessions = sessions.filter(id=scope_key)
    elif scope == "workspace":
        sessions = sessions.filter(workspace__root__in=[scope_key, f"{scope_key}/"])
    recent = Q(started_at__gte=since) | Q(started_at=None, session__created_at__gte=since)
    return (
        Step.objects.filter(recent, session__in=sessions)
        .select_related("turn")
        .order_by(Coalesce("started_at", "session__created_at").desc(), "session_id", "-number")
    )


def _by_session(steps: list[Step]) -> Iterator[tuple[UUID, list[Step]]]:
    groups: dict[UUID, list[Step]] = {}
    for step in steps:
        groups.setdefault(step.session_id, []).append(step)
    for session_id, group in groups.items():
        yield session_id, sorted(group, key=lambda step: step.log_seq)


def _replay(session_id: UUID, steps: list[Step], candidate: MemoryRevision, policy: Policy, found: _Found) -> None:
    """One pass over the session from the snapshot before its first step; the state at each step asks the memory bucket."""
    session = Session.objects.select_related("project", "workspace").get(id=session_id)
    few = few_in_scope(session.project_id, session)
    state = nearest_snapshot(session_id, steps[0].log_seq)
    fold, after = Fold(state), state.seq
    for step in steps:
        for event in _events(session_id, after, step.log_seq):
            fold.feed(event)
        after = max(after, step.log_seq)
        try:
            happened = _effect(session, step, fold, candidate, few, policy)
        except CannotBuild:
            found.kept_out["unknown_window"] += 1
            found.considered += 1
            continue
        found.considered += 1
        if not happened.entered:
            found.kept_out[happened.reason] += 1
            continue
        found.steps_entered += 1
        if len(found.entered) < KEPT_ENTRIES:
            entry = {"session": str(session_id), "step": step.number, "tokens": happened.tokens}
            found.entered.append({**entry, "displaced": list(happened.displaced)})


def _effect(
    session: Session,
    step: Step,
    fold: Fold,
    candidate: MemoryRevision,
    few: tuple[MemoryRevision, ...] | None,
    policy: Policy,
) -> Effect:
    """`few`: all the memory in scope; None when there is too much of it, and the call has to ask for its own."""
    profile = profile_of(session, step.model or session.model)
    counts = Counts(profile.tokenizer)
    inputs = inputs_of(session, place_of(step), profile, fold.state(), (), (), few or (), ())
    if few is None:
        inputs = with_memory(inputs, session)
    approved = tuple(one for one in inputs.memory if one.state == "approved")
    return effect(replace(inputs, memory=approved), candidate, policy, counts.counter)


def _events(session_id: UUID, after: int, upto: int) -> Iterator[Any]:  # events of the engine
    while after < upto:
        page = log.get_events(session_id, after_seq=after, upto_seq=upto, limit=PAGE_EVENTS)
        if not page:
            return
        yield from page
        after = page[-1].seq
