"""Makes a summary of a session as it stands and holds it to its promises. Writes nothing; what it made is stored elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from contextapp.compaction.progress import is_tired
from contextapp.compaction.summarisers import Failed, Summariser, summariser_of
from contextapp.compaction.values import DETERMINISTIC, Made, NotMade
from contextapp.engine.compaction import DEFAULT, NotPlanned, Plan, Setting, Summary, plan, summarise, survival
from contextapp.engine.compaction.summary import sections_of
from contextapp.engine.compaction.survival import Duty, Survived, duty, lost_constraints
from contextapp.engine.events import Event
from contextapp.engine.projection.fold import Fold
from contextapp.engine.projection.payloads import payload_of
from contextapp.engine.projection.state import SessionState
from contextapp.engine.tokens import weight
from contextapp.eventlog import selectors as log

AUTO, MANUAL, OVERFLOW = "auto", "manual", "overflow"
INFLATED, SAVES_LITTLE, LOST_CONSTRAINT, TIRED = "inflated", "saved_too_little", "constraint_lost", "no_progress"


def prepare(
    *,
    session_id: UUID,
    trigger: str,
    state: SessionState | None = None,
    setting: Setting = DEFAULT,
    summariser: Summariser | None = None,
) -> Made | NotMade:
    """`state`: of the log as it stands, where the caller has it. A build that overflows waits for no model: it takes the
    deterministic summary."""
    state, events = _read(session_id, state)
    if trigger == AUTO and (tired := is_tired(session_id, state)):
        return NotMade(TIRED, tired)
    planned = plan(state, events, setting)
    if isinstance(planned, NotPlanned):
        return NotMade(planned.code, planned.detail)
    owed = _owed(planned, state, events)
    deterministic = summarise(planned, state, owed)
    least = 1 if trigger == OVERFLOW else setting.least_gain  # whether an overflow is mended is tried, not reckoned
    chosen = None if trigger == OVERFLOW else summariser or summariser_of(session_id)
    if chosen is None:
        return _held_to(deterministic, planned, owed, state, trigger, least)
    found = chosen.summarise(planned, deterministic, owed)
    if isinstance(found, Failed):
        return _held_to(deterministic, planned, owed, state, trigger, least, fallback=found.reason)
    made = _held_to(found, planned, owed, state, trigger, least, by=chosen.name)
    if isinstance(made, Made):
        return made
    return _held_to(deterministic, planned, owed, state, trigger, least, fallback=f"{made.code}: {made.detail}")


def _read(session_id: UUID, state: SessionState | None) -> tuple[SessionState, list[Event]]:
    """The state at the head, and the log after the summary in force with that summary."""
    if state is None:
        fold = Fold()
        for event in log.iter_events(session_id):
            fold.feed(event)
        state = fold.state()
    mark = state.summary_mark
    covered = mark.covers_to if mark else 0
    events = list(log.iter_events(session_id, after_seq=covered, upto_seq=state.seq))
    if mark and mark.summary_seq <= covered:
        events = [*log.get_events(session_id, seqs=[mark.summary_seq]), *events]
    return state, events


def _owed(planned: Plan, state: SessionState, events: Sequence[Event]) -> Duty:
    sections = {} if planned.earlier is None else sections_of(payload_of(planned.earlier).get("sections"))
    return duty(state, planned.last_seq, [(name, line) for name, lines in sections.items() for line in lines], events)


def _held_to(
    summary: Summary,
    planned: Plan,
    owed: Duty,
    state: SessionState,
    trigger: str,
    least_gain: int,
    *,
    by: str = DETERMINISTIC,
    fallback: str = "",
) -> Made | NotMade:
    """Worth its place, and no constraint lost; else it is thrown away, and the log tells so."""
    text = summary.text()
    before, after = planned.weight, weight(text)
    figures: dict[str, Any] = {"covers_to": planned.last_seq, "before_tokens": before, "after_tokens": after, "by": by}
    if after >= before:
        detail = f"the summary weighs {after} tokens, what it stands for {before}"
        return NotMade(INFLATED, detail, is_recorded=True, **figures)
    if before - after < least_gain:
        detail = f"the summary weighs {after} tokens of {before}; at least {least_gain} have to be saved"
        return NotMade(SAVES_LITTLE, detail, is_recorded=True, **figures)
    survived = survival(summary, owed, state)
    if lost := lost_constraints(survived):
        return NotMade(LOST_CONSTRAINT, f"lost: {lost[0].name} (event {lost[0].seq})", is_recorded=True, **figures)
    return Made(
        upto_seq=state.seq,
        covers_to=planned.last_seq,
        payload=_payload(summary, survived, trigger, by, fallback, before, after),
        survived=survived,
        before_tokens=before,
        after_tokens=after,
        by=by,
        fallback=fallback,
    )


def _payload(
    summary: Summary, survived: Sequence[Survived], trigger: str, by: str, fallback: str, before: int, after: int
) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "part": "whole",
        "summary": summary.text(),
        "covers": [summary.first_seq, summary.last_seq],
        "trigger": trigger,
        "by": by,
        "before_tokens": before,
        "after_tokens": after,
        "trust": summary.trust.value,
        "sections": summary.to_dict(),
        "survival": [
            {"kind": fate.kind, "name": fate.name, "seq": fate.seq, "fate": fate.fate.value} for fate in survived
        ],
    }
    return payload | ({"fallback": fallback} if fallback else {})
