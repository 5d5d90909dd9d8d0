"""The fold over what people and models say: turns, goal, suspected constraints, model calls. Each function gives the changed
fields."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contextapp.engine.events import Event, Payload
from contextapp.engine.observations.binary import without_binary
from contextapp.engine.projection import constraints
from contextapp.engine.projection.calls import CallTracker, is_model_part
from contextapp.engine.projection.payloads import flag, id_of, list_of, short, text_of
from contextapp.engine.projection.state import (
    GOAL_CHARS,
    LINE_CHARS,
    MAX_CONSTRAINTS,
    MAX_INDEXED,
    MAX_PLAN,
    Call,
    Constraint,
    Goal,
    SessionState,
)

Changes = dict[str, Any]  # names and values of SessionState fields


def session_created(state: SessionState, event: Event, payload: Payload) -> Changes:
    read = {name: short(text_of(payload, name), LINE_CHARS) for name in ("agent", "model", "cwd")}
    return {name: value for name, value in read.items() if value}


def turn_started(state: SessionState, event: Event, payload: Payload) -> Changes:
    return {} if state.turn_fresh else _new_turn(state)


def turn_completed(state: SessionState, event: Event, payload: Payload) -> Changes:
    return {"turn_fresh": False}


def _new_turn(state: SessionState) -> Changes:
    changes: Changes = {"turn": state.turn + 1, "turn_fresh": True}
    if not state.phase_explicit:
        changes["phase"] = ""
    return changes


def user_message(state: SessionState, event: Event, payload: Payload) -> Changes:
    text = text_of(payload, "text")
    queued = flag(payload, "queued") and state.turn > 0
    changes: Changes = {} if queued or state.turn_fresh else _new_turn(state)
    if not text.strip():
        return changes
    said = short(without_binary(text)[0], GOAL_CHARS)
    goal = state.goal
    changes["goal"] = (
        replace(goal, latest_text=said, latest_seq=event.seq) if goal else Goal(said, event.seq, said, event.seq)
    )
    changes["user_seqs"] = first_and_newest((*state.user_seqs, event.seq), MAX_INDEXED)
    changes["language"] = constraints.language_of(text) or state.language
    found = [
        Constraint(f"seq:{event.seq}.{place}", short(item.text, LINE_CHARS), item.kind, event.seq, confirmed=False)
        for place, item in enumerate(constraints.find(text), start=1)
    ]
    if found:
        changes["constraints"] = with_constraints(state.constraints, found)
    return changes


def first_and_newest(seqs: tuple[int, ...], limit: int) -> tuple[int, ...]:
    return seqs if len(seqs) <= limit else (seqs[0], *seqs[len(seqs) - limit + 1 :])


def with_constraints(held: tuple[Constraint, ...], new: list[Constraint]) -> tuple[Constraint, ...]:
    """Each text once, the confirmed before the suspected one; over the cap the oldest suspected go first. Two instruction files
    that say the same both hold it, since either may be changed or turn out not to concern the work."""
    merged = list(held)
    for item in new:
        folded = item.text.casefold()
        same = [
            other
            for other in merged
            if other.id == item.id or (other.text.casefold() == folded and not _of_two_files(other, item))
        ]
        if any(other.confirmed for other in same) and not item.confirmed:
            continue
        if same and not item.confirmed:
            continue
        merged = [other for other in merged if other not in same] if same else merged
        merged.append(item)
    while len(merged) > MAX_CONSTRAINTS:
        suspected = next((item for item in merged if not item.confirmed), merged[0])
        merged.remove(suspected)
    return tuple(merged)


def _of_two_files(one: Constraint, other: Constraint) -> bool:
    return one.seq != other.seq and one.id.startswith("instr:") and other.id.startswith("instr:")


def constraint_added(state: SessionState, event: Event, payload: Payload) -> Changes:
    text = short(text_of(payload, "text"), 4 * LINE_CHARS)
    if not text.strip():
        return {}
    kind = text_of(payload, "kind")
    known = (constraints.PROHIBITION, constraints.APPROVAL, constraints.VERIFICATION, constraints.PREFERENCE)
    if kind not in known:
        kind = constraints.kind_of(text) or constraints.PREFERENCE
    identity = id_of(payload, "id") or f"seq:{event.seq}.0"
    added = Constraint(identity, text, kind, event.seq, confirmed=True)
    return {"constraints": with_constraints(state.constraints, [added])}


def constraint_lifted(state: SessionState, event: Event, payload: Payload) -> Changes:
    identity = id_of(payload, "id")
    return {"constraints": tuple(item for item in state.constraints if item.id != identity)}


def plan_of(items: list[Any]) -> tuple[tuple[str, str], ...]:
    """(text, status) of each entry, whatever the harness calls the text."""
    plan = []
    for item in items:
        if isinstance(item, dict):
            text = next((text_of(item, name) for name in ("text", "content", "step", "title") if item.get(name)), "")
            plan.append((short(text, LINE_CHARS), short(text_of(item, "status"), 40)))
        elif isinstance(item, str):
            plan.append((short(item, LINE_CHARS), ""))
    return tuple(plan)


def plan_updated(state: SessionState, event: Event, payload: Payload) -> Changes:
    return {"plan": plan_of(list_of(payload, "items"))[:MAX_PLAN], "plan_seq": event.seq}


def model_call(state: SessionState, event: Event, payload: Payload) -> Changes:
    """Step counting, for every event: parts of an answer count up, user messages and results end a call without id."""
    tracker = CallTracker.of(state)
    is_new = tracker.feed(event)
    changes: Changes = {}
    if tracker.is_open != state.step_open:
        changes["step_open"] = tracker.is_open
    if not is_model_part(event):
        return changes
    changes["turn_fresh"] = False
    changes["step_message_id"] = tracker.current
    changes["recent_message_ids"] = tracker.recent
    model = short(text_of(payload, "model"), LINE_CHARS)
    if model:
        changes["model"] = model
    if is_new:
        changes["step"] = state.step + 1
        changes["open_calls"] = tuple(call for call in state.open_calls if still_waits(call))
    return changes


def still_waits(call: Call) -> bool:
    """Whether a call outlives the next model call: it runs in the background, or a person has still to decide."""
    return call.pending or call.approval == "pending"
