"""Reads a session's log on from where the index stands, page by page: turns, steps, marks, snapshots, observed ledgers.

Each page is one transaction under the session's row lock, so two runs at once have one effect; appends are not held up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from contextapp.compaction.services import record_marks
from contextapp.contexts.models import Step
from contextapp.contexts.services.crowding import compact_if_crowded
from contextapp.contexts.services.observing import Observer
from contextapp.contexts.services.residue import split_residue
from contextapp.contexts.services.storing import resume, store
from contextapp.contexts.states import nearest_snapshot, state_from
from contextapp.contexts.values import Indexed
from contextapp.contexts.walk import StepDraft, Walk
from contextapp.engine.events import (
    COMPACTION_FAILED,
    COMPACTION_WITHDRAWN,
    EVENT_REDACTED,
    SESSION_COMPACTED,
    TURN_COMPLETED,
    Event,
)  # fmt: skip
from contextapp.engine.projection.state import SessionState
from contextapp.eventlog import selectors as log
from contextapp.eventlog.models import Session
from contextapp.eventlog.models.sessions import SessionOrigin
from contextapp.eventlog.services import request_deriving
from contextapp.jobs.handle import JobHandle
from contextapp.jobs.models import JobState
from contextapp.jobs.services import enqueue
from contextapp.memory.services import request_gathering
from contextapp.policy.profiles import profile_for

INDEX_SESSION = "contexts.index_session"
INDEX_DELAY = timedelta(seconds=1)
CLOCKS_DIFFER = timedelta(seconds=0.4)  # a worker on another machine may be that far ahead
ASKED_LIMIT = 10_000
RUNS_KEPT = 32
_runs: dict[UUID, Run] = {}  # of this process's last jobs; taken up only where the index still stands there
_asked: dict[UUID, datetime] = {}  # until when a job that waits for this session has not begun
PAGE_EVENTS = 500
SNAPSHOT_EVENTS = 200  # a build folds no more than about these
COMPACTIONS = (SESSION_COMPACTED, COMPACTION_FAILED, COMPACTION_WITHDRAWN)
OBSERVED = (SessionOrigin.IMPORT, SessionOrigin.SAMPLE)


@dataclass(slots=True)
class Run:
    """What one run carries from page to page; thrown away when another run has moved the index meanwhile."""

    walk: Walk
    observer: Observer | None
    snapshot_seq: int
    steps: dict[int, Step] = field(default_factory=dict)  # what the last page wrote, by number

    @property
    def state(self) -> SessionState:
        return self.walk.fold.state()


@dataclass(frozen=True, slots=True)
class Advanced:
    """The index at the head: the session's row as it stands, and the run to go on from."""

    indexed: Indexed
    session: Session
    run: Run | None


def index_session(*, session_id: UUID) -> Indexed:
    """Bring the index to the head. Running it again, or twice at once, changes nothing more. What agents proposed to remember,
    and what is to be read for queries, goes on the list of work."""
    return _index(session_id).indexed


def _index(session_id: UUID, run: Run | None = None) -> Advanced:
    advanced = advance(session_id, run)
    request_gathering(session=advanced.session)
    request_deriving(session_id=session_id, project_id=advanced.session.project_id)
    return advanced


def advance(session_id: UUID, run: Run | None = None, *, begins: bool = False) -> Advanced:
    """The same, going on from an earlier run of this process where the index still stands where that run left it. `begins`:
    a run is wanted even if nothing is new; an imported session has none then."""
    first: int | None = None
    turns = steps = ledgers = 0
    while True:
        with transaction.atomic():
            session = _locked(session_id)
            first = session.indexed_seq if first is None else first
            events = log.get_events(session_id, after_seq=session.indexed_seq, limit=PAGE_EVENTS)
            if session.erased_at is not None:
                break
            if not (events or (begins and session.origin != SessionOrigin.IMPORT)):
                break
            erases = any(event.type == EVENT_REDACTED for event in events)  # a run may hold words that are gone since
            if run is None or run.state.seq != session.indexed_seq or erases:
                run = _begin(session)
            if not events:
                break
            page = _index_page(session, run, events)
        turns, steps, ledgers = turns + page[0], steps + page[1], ledgers + page[2]
        if len(events) < PAGE_EVENTS:
            break
    if run is not None and run.observer is not None:
        split_residue(session_id=session_id)
    indexed = Indexed(session_id, first or 0, session.indexed_seq, turns, steps, ledgers)
    return Advanced(indexed, session, run)


def _locked(session_id: UUID) -> Session:
    rows = Session.objects.select_for_update(no_key=True, of=("self",)).select_related("project", "workspace")
    return rows.get(id=session_id)


def request_index(*, session_id: UUID, project_id: UUID) -> None:
    """Bring the index up to date in the background, soon: appends in quick succession are one job.

    While a job that this process knows of can't have begun yet, it will see what is appended now, and nothing is asked.
    """
    now = timezone.now()
    if now < _asked.get(session_id, now):
        return
    job = enqueue(
        kind=INDEX_SESSION,
        key=str(session_id),
        payload={"session": str(session_id)},
        project_id=project_id,
        not_before=now + INDEX_DELAY,
        again=True,
    )
    begins = job.not_before if job.state == JobState.QUEUED else None
    if begins is not None:
        transaction.on_commit(partial(_remember, session_id, begins - CLOCKS_DIFFER))


def _remember(session_id: UUID, until: datetime) -> None:
    if len(_asked) >= ASKED_LIMIT:
        _asked.clear()
    _asked[session_id] = until


def index_session_job(job: JobHandle) -> None:
    """A worker that indexes a live session again and again goes on from where it stopped, instead of folding its end anew."""
    session_id = UUID(job.payload["session"])
    advanced = _index(session_id, _runs.pop(session_id, None))
    if advanced.run is not None and advanced.run.observer is None:
        _runs[session_id] = advanced.run
        while len(_runs) > RUNS_KEPT:
            _runs.pop(next(iter(_runs)))


def _begin(session: Session) -> Run:
    is_new = session.indexed_seq == 0  # then nothing is stored that could be asked for
    snapshot = SessionState() if is_new else nearest_snapshot(session.id, session.indexed_seq)
    state = state_from(snapshot, session.id, session.indexed_seq)
    observer = None
    if session.origin in OBSERVED:
        observer = Observer(session) if is_new else Observer.resumed(session)
    return Run(resume(session, state), observer, snapshot.seq)


def _index_page(session: Session, run: Run, events: list[Event]) -> tuple[int, int, int]:
    walk = run.walk
    known_steps = walk.counters.steps
    states: list[SessionState] = []
    for event in events:
        before = walk.fold.state()
        begun = walk.feed(event)
        if run.observer is not None:
            if begun is not None and begun.first_seq is not None:
                run.observer.note_step(begun)
            run.observer.feed(event)
        if _wants_snapshot(event, begun, run.snapshot_seq):
            states.append(before if begun else walk.fold.state())
            run.snapshot_seq = states[-1].seq
    run.steps, turns = store(session.id, walk, states)
    ledgers = run.observer.store(session, run.steps) if run.observer is not None else 0
    compactions = [event for event in events if event.type in COMPACTIONS]
    if compactions:
        record_marks(session_id=session.id, events=compactions)
    _store_session(session, walk)
    if session.origin == SessionOrigin.API and any(event.type == TURN_COMPLETED for event in events):
        compact_if_crowded(session, walk.fold.state())
    return turns, walk.counters.steps - known_steps, ledgers


def _wants_snapshot(event: Event, begun: StepDraft | None, newest_seq: int) -> bool:
    """Every so often, preferably just before an answer, where the build of that very step finds it; at every build of a live
    agent, whose next one is sure to come."""
    distance = event.seq - newest_seq
    if begun is not None:
        return begun.first_seq is None or distance > SNAPSHOT_EVENTS // 2
    return distance > SNAPSHOT_EVENTS


def _store_session(session: Session, walk: Walk) -> None:
    state, counters = walk.fold.state(), walk.counters
    session.indexed_seq = session.event_count = state.seq
    session.turn_count = counters.turns
    session.step_count = counters.steps
    session.compaction_count = state.compaction_count
    session.overflow_count = counters.overflows
    session.denial_count = counters.denials
    session.error_count = counters.errors
    session.model = (counters.model or session.model)[:120]
    if session.model_window_tokens is None and session.model:
        session.model_window_tokens = profile_for(session.model).window_tokens
    session.started_at = session.started_at or _instant(counters.started_at)
    session.ended_at = session.ended_at or _instant(counters.ended_at)
    session.save(
        update_fields=[
            "indexed_seq", "event_count", "turn_count", "step_count", "compaction_count", "overflow_count",
            "denial_count", "error_count", "model", "model_window_tokens", "started_at", "ended_at",
        ]
    )  # fmt: skip


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
