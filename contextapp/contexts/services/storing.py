"""Stores what a walk found in one page of events: turns, steps, usage, snapshots. Runs in its caller's transaction."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from contextapp.contexts.models import StateSnapshot, Step, Turn
from contextapp.contexts.packing import pack_state
from contextapp.contexts.walk import OVERFLOW, Counters, StepDraft, TurnDraft, Walk
from contextapp.engine.projection.state import FOLD_VERSION, SessionState
from contextapp.eventlog.models import Session

RESUMED_STEPS = 20  # parts of older answers are no new calls, and usage of older ones is asked from storage
MODEL_CHARS = 120


def resume(session: Session, state: SessionState) -> Walk:
    """The walk as it stood after `session.indexed_seq`."""
    turn, steps = _newest(session) if session.indexed_seq else (None, [])
    drafts = tuple(_step_draft(step) for step in reversed(steps))
    counters = Counters(
        turns=session.turn_count,
        steps=session.step_count,
        overflows=session.overflow_count,
        denials=session.denial_count,
        errors=session.error_count,
        model=session.model,
        started_at=_text(session.started_at),
        ended_at=_text(session.ended_at),
    )
    awaits_answer = bool(drafts) and drafts[-1].first_seq is None and OVERFLOW not in drafts[-1].marks
    return Walk(state, counters, _turn_draft(turn) if turn else None, drafts, awaits_answer)


def _newest(session: Session) -> tuple[Turn | None, list[Step]]:
    """The newest turn and, newest first, the steps that may still be spoken of."""
    turn = Turn.objects.filter(session=session).order_by("-number").first()
    return turn, list(Step.objects.filter(session=session).select_related("turn").order_by("-number")[:RESUMED_STEPS])


def store(session_id: UUID, walk: Walk, states: list[SessionState]) -> tuple[dict[int, Step], int]:
    """Write what the page touched; the steps by number, and how many turns were touched."""
    turns = _store_turns(session_id, walk)
    steps = _store_steps(session_id, walk, turns) if walk.touched_steps else {}
    for message_id, usage in walk.late_usage:
        Step.objects.filter(session_id=session_id, message_id=message_id).update(usage=usage)
    if states:
        StateSnapshot.objects.bulk_create(
            [
                StateSnapshot(session_id=session_id, seq=state.seq, fold_version=FOLD_VERSION, body=pack_state(state))
                for state in {state.seq: state for state in states}.values()
            ],
            ignore_conflicts=True,
        )
    touched = len(walk.touched_turns)
    walk.touched_turns, walk.touched_steps, walk.late_usage = {}, {}, []
    return steps, touched


def _store_turns(session_id: UUID, walk: Walk) -> dict[int, Turn]:
    rows = [
        Turn(
            session_id=session_id,
            number=turn.number,
            first_seq=turn.first_seq,
            last_seq=turn.last_seq,
            title=turn.title,
            started_at=_instant(turn.started_at),
            step_count=turn.step_count,
        )
        for turn in walk.touched_turns.values()
    ]
    Turn.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["session", "number"],
        update_fields=["last_seq", "title", "step_count"],
    )
    turns = {turn.number: turn for turn in rows}
    missing = {step.turn for step in walk.touched_steps.values()} - set(turns)
    if missing:
        turns |= {turn.number: turn for turn in Turn.objects.filter(session_id=session_id, number__in=missing)}
    return turns


def _store_steps(session_id: UUID, walk: Walk, turns: dict[int, Turn]) -> dict[int, Step]:
    rows = [
        Step(
            session_id=session_id,
            turn=turns[step.turn],
            number=step.number,
            log_seq=step.log_seq,
            first_seq=step.first_seq,
            last_seq=step.last_seq,
            message_id=step.message_id,
            model=step.model[:MODEL_CHARS],
            phase=step.phase[:20],
            started_at=_instant(step.started_at),
            usage=step.usage,
            marks=step.marks,
        )
        for step in walk.touched_steps.values()
    ]
    Step.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["session", "number"],
        update_fields=["first_seq", "last_seq", "message_id", "model", "usage", "marks"],
    )
    return {step.number: step for step in rows}


def _turn_draft(turn: Turn) -> TurnDraft:
    return TurnDraft(
        turn.number, turn.first_seq, turn.last_seq, turn.title, _text(turn.started_at), step_count=turn.step_count
    )


def _step_draft(step: Step) -> StepDraft:
    return StepDraft(
        number=step.number,
        turn=step.turn.number,
        log_seq=step.log_seq,
        first_seq=step.first_seq,
        last_seq=step.last_seq,
        message_id=step.message_id,
        model=step.model,
        phase=step.phase,
        started_at=_text(step.started_at),
        usage=step.usage,
        marks=list(step.marks),
    )


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _text(instant: datetime | None) -> str | None:
    return instant.isoformat() if instant else None
