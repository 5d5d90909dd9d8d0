"""Simulates the steps of a session in one pass over its log: each event is read and folded once, whatever the number of steps.

Gives the same ledgers, byte for byte, as simulating each step alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from contextapp.contexts.building import build_counted
from contextapp.contexts.counts import Counts
from contextapp.contexts.errors import CannotBuild
from contextapp.contexts.loading import inputs_of, named_before, profile_of, with_memory
from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.rebuilding import place_of, previous_blocks
from contextapp.contexts.services.ledgers import Kept, block_digests, keep_ledgers
from contextapp.contexts.states import state_upto
from contextapp.contexts.tails import weighs_at_least
from contextapp.engine.events import Event
from contextapp.engine.inputs import Built, ModelProfile
from contextapp.engine.policy import Policy
from contextapp.engine.projection.fold import Fold
from contextapp.engine.sources.reach import tail_weight
from contextapp.engine.version import ENGINE_VERSION
from contextapp.eventlog import selectors as log
from contextapp.eventlog.models import Session
from contextapp.jobs.handle import JobHandle
from contextapp.jobs.services import enqueue
from contextapp.memory.selectors import few_in_scope
from contextapp.policy.selectors import active_policy

SIMULATE_SESSION = "contexts.simulate_session"
COMMIT_STEPS = 25
PAGE_EVENTS = 200

Progress = Callable[[int, int], None]  # steps done, steps in all


def request_simulation(*, session_id: UUID) -> int | None:
    """Simulate the session's steps in the background, unless all of them are. The job's id, or None."""
    session = Session.objects.get(id=session_id)
    if session.erased_at is not None or not _missing(session, active_policy(session.project_id)).exists():
        return None
    job = enqueue(
        kind=SIMULATE_SESSION,
        key=str(session.id),
        payload={"session": str(session.id)},
        project_id=session.project_id,
    )
    return int(job.pk)


def simulate_session_job(job: JobHandle) -> None:
    """Handler of `contexts.simulate_session`."""

    def progress(done: int, total: int) -> None:
        job.progress(done, total, _("step %(number)s of %(total)s") % {"number": done, "total": total})

    simulate_session(session_id=UUID(job.payload["session"]), progress=progress)


def simulate_session(*, session_id: UUID, progress: Progress | None = None) -> int:
    """Every step that has no ledger under the active policy and this engine; the number of ledgers made. Steps of models
    with an unknown window are left out."""
    session = Session.objects.select_related("project", "workspace").get(id=session_id)
    policy = active_policy(session.project_id)
    steps = list(_missing(session, policy).select_related("turn").order_by("number"))
    if not steps:
        return 0
    walk = _Pass(session, policy, steps)
    made: list[_Made] = []
    kept = 0
    for place, step in enumerate(steps, start=1):
        step.session = session
        found = walk.build(step)
        if found is not None:
            made.append(found)
        if len(made) == COMMIT_STEPS or place == len(steps):
            kept += _keep(made, policy)
            made = []
        if progress is not None:
            progress(place, len(steps))
    return kept


def _missing(session: Session, policy: Policy) -> QuerySet[Step]:
    there = Ledger.objects.filter(
        step=OuterRef("pk"), origin=Origin.SIMULATED, policy_number=policy.number, engine_version=ENGINE_VERSION
    )
    return Step.objects.filter(~Exists(there), session=session)


@dataclass(frozen=True, slots=True)
class _Made:
    step: Step
    built: Built
    counts: Counts


def _keep(made: Sequence[_Made], policy: Policy) -> int:
    with transaction.atomic():
        kept = [Kept(each.step, each.built, each.counts.method) for each in made]
        keep_ledgers(origin=Origin.SIMULATED, policy=policy, kept=kept)
        for counts in {id(each.counts): each.counts for each in made}.values():
            counts.save()
    return len(made)


class _Pass:
    """The fold and the tail of the log, moved on from step to step."""

    def __init__(self, session: Session, policy: Policy, steps: Sequence[Step]) -> None:
        self._session = session
        self._policy = policy
        self._memory = few_in_scope(session.project_id, session)  # None: each step asks for its own
        self._profiles: dict[str, ModelProfile | None] = {}
        self._named: dict[int, Event] = {}
        first_seq, last_seq = steps[0].log_seq, max(step.log_seq for step in steps)
        self._fold = Fold(state_upto(session.id, first_seq))
        self._tail = deque(log.tail_events(session.id, first_seq, self._limit(), weighs_at_least))
        self._coming = log.iter_events(session.id, first_seq, last_seq)
        self._next = next(self._coming, None)
        self._last: tuple[int, tuple[tuple[str, int], ...]] | None = None  # number and blocks of the step built before

    def build(self, step: Step) -> _Made | None:
        """None when nobody knows the window of the step's model."""
        profile = self._profile(step.model or self._session.model)
        if profile is None:
            return None
        self._move_to(step.log_seq)
        state = self._fold.state()
        tail = self._tail_for(profile)
        inputs = inputs_of(
            self._session,
            place_of(step),
            profile,
            state,
            tail,
            self._events(named_before(state, tail)),
            self._memory or (),
            self._blocks_before(step),
        )
        if self._memory is None:
            inputs = with_memory(inputs, self._session)
        built, counts = build_counted(inputs, self._policy)
        self._last = (step.number, block_digests(built) if built.request else ())
        return _Made(step, built, counts)

    def _profile(self, model: str) -> ModelProfile | None:
        if model not in self._profiles:
            try:
                self._profiles[model] = profile_of(self._session, model)
            except CannotBuild:
                self._profiles[model] = None
        return self._profiles[model]

    def _limit(self) -> int:
        """The longest tail that any step can want: of the largest window among the session's models."""
        steps = Step.objects.filter(session=self._session).order_by()
        models = {model or self._session.model for model in steps.values_list("model", flat=True).distinct()}
        profiles = [self._profile(model) for model in sorted(models)]
        return max(
            (tail_weight(profile.window_tokens or 0, self._policy) for profile in profiles if profile), default=0
        )

    def _move_to(self, seq: int) -> None:
        while self._next is not None and self._next.seq <= seq:
            self._fold.feed(self._next)
            self._tail.append(self._next)
            self._next = next(self._coming, None)

    def _tail_for(self, profile: ModelProfile) -> list[Event]:
        """The newest events that together reach the weight, as `tail_events` gives them; what no step will want is let go."""
        limit, weight = tail_weight(profile.window_tokens or 0, self._policy), 0
        tail: list[Event] = []
        for event in reversed(self._tail):
            tail.append(event)
            weight += weighs_at_least(event)
            if weight >= limit:
                break
        if len(self._profiles) == 1:
            self._tail = deque(reversed(tail))
        return tail[::-1]

    def _events(self, seqs: Sequence[int]) -> list[Event]:
        missing = [seq for seq in seqs if seq not in self._named]
        known = self._named
        if missing:
            known = known | {event.seq: event for event in log.get_events(self._session.id, seqs=missing)}
        self._named = {seq: known[seq] for seq in seqs if seq in known}
        return list(self._named.values())

    def _blocks_before(self, step: Step) -> tuple[tuple[str, int], ...]:
        if self._last is not None and self._last[0] == step.number - 1:
            return self._last[1]
        return previous_blocks(step, Origin.SIMULATED, self._policy.number)
