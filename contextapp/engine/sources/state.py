"""Goal, constraints and where the work stands, as the fold says: what a request carries at its end and renews at every step.

Reads the state only. What tools wrote stays quoted here too, since trust never rises on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from contextapp.engine.inputs import BuildInputs
from contextapp.engine.policy import Policy
from contextapp.engine.projection.instructions import instruction_seq
from contextapp.engine.projection.state import Call, Constraint, Goal, SessionState
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import instructions
from contextapp.engine.sources.source import RANK_GOAL, RANK_STATE, Form, Source
from contextapp.engine.values import Bucket, Trust

LISTED = 20  # entries named per line; the rest is a number


def collect(inputs: BuildInputs, policy: Policy) -> tuple[Source, ...]:
    """Goal and confirmed constraints are floor; suspected constraints and the state are not."""
    state = inputs.state
    goal = [_goal(state.goal)] if state.goal else []
    constraints = _constraints(state.constraints, instructions.out_of_force(inputs, policy))
    parts = [_part(name, text, seq) for name, text, seq in _lines(state) if text]
    failure = [_failure(state)] if state.latest_failure else []
    return (*goal, *constraints, *parts, *failure)


def _goal(goal: Goal) -> Source:
    first = f"Goal, in the user's words (event {goal.seq}): {goal.text}"
    latest = f"\nLatest request (event {goal.latest_seq}): {goal.latest_text}" if goal.latest_seq != goal.seq else ""
    return Source(
        id="goal",
        kind="goal",
        bucket=Bucket.TRANSCRIPT,
        rank=RANK_GOAL,
        trust=Trust.TRUSTED,
        reason=Reason.GOAL,
        form=Form(first + latest),
        part="trailing",
        title="goal",
        events=(goal.seq, goal.latest_seq),
        pinned=True,
        compressible=False,
    )


def _constraints(held: Iterable[Constraint], out_of_force: Mapping[int, Reason]) -> list[Source]:
    """The confirmed first, each text once. One that an instruction says which is not in force here binds nobody."""
    made: list[Source] = []
    said: dict[str, str] = {}
    for constraint in sorted(held, key=lambda constraint: not constraint.confirmed):
        source = _constraint(constraint)
        text = constraint.text.casefold()
        if refusal := out_of_force.get(instruction_seq(constraint)):
            source = replace(source, refusal=refusal)
        elif text in said:
            source = replace(source, refusal=Reason.DUPLICATE, displaced_by=said[text])
        else:
            said[text] = source.id
        made.append(source)
    return made


def _constraint(constraint: Constraint) -> Source:
    known = "confirmed" if constraint.confirmed else "suspected, not confirmed"
    return Source(
        id=f"constraint:{constraint.id}",
        kind="constraint",
        bucket=Bucket.TRANSCRIPT,
        rank=RANK_GOAL,
        trust=Trust.TRUSTED if constraint.confirmed else Trust.FACT,
        reason=Reason.CONSTRAINT if constraint.confirmed else Reason.CURRENT_STATE,
        form=Form(f"Constraint ({constraint.kind}, {known}, event {constraint.seq}): {constraint.text}", detail=known),
        part="trailing",
        title=constraint.text,
        events=(constraint.seq, constraint.seq),
        pinned=constraint.confirmed,
        compressible=not constraint.confirmed,
    )


def _lines(state: SessionState) -> list[tuple[str, str, int]]:
    """(name, text, event) of each part of the state that says something."""
    modified = [f"{file.path} (event {file.modified_seq})" for file in state.files if file.modified_seq]
    plan = [f"[{status or 'open'}] {text}" for text, status in state.plan]
    denials = [f"{denial.tool} (event {denial.seq}): {denial.reason or 'no reason given'}" for denial in state.denials]
    said_by = "" if state.phase_explicit else " (inferred)"
    return [
        ("phase", f"Phase: {state.phase}{said_by}" if state.phase else "", 0),
        ("plan", _listing("Plan", plan[:LISTED], len(plan)), state.plan_seq),
        ("files", _listing("Files changed", modified[-LISTED:], len(modified)), 0),
        ("open_calls", _listing("Waiting", [_waiting(call) for call in state.open_calls], len(state.open_calls)), 0),
        ("denials", _listing("Denied, do not try again as it was", denials[-LISTED:], len(denials)), 0),
    ]


def _listing(heading: str, entries: list[str], total: int) -> str:
    if not entries:
        return ""
    more = [f"- and {total - len(entries)} more"] if total > len(entries) else []
    return "\n".join([f"{heading}:", *(f"- {entry}" for entry in entries), *more])


def _waiting(call: Call) -> str:
    what = "for approval" if call.approval == "pending" else "for its result"
    return f"{call.name} (event {call.seq}) {what}"


def _part(name: str, text: str, seq: int) -> Source:
    return Source(
        id=f"state:{name}",
        kind="state",
        bucket=Bucket.TRANSCRIPT,
        rank=RANK_STATE,
        trust=Trust.FACT,
        reason=Reason.DENIAL if name == "denials" else Reason.CURRENT_STATE,
        form=Form(text),
        part="trailing",
        title=name,
        events=(seq, seq) if seq else None,
    )


def _failure(state: SessionState) -> Source:
    seq = state.latest_failure_seq
    return Source(
        id="state:latest_failure",
        kind="state",
        bucket=Bucket.TRANSCRIPT,
        rank=RANK_STATE,
        trust=Trust.UNTRUSTED,
        reason=Reason.CURRENT_STATE,
        form=Form(state.latest_failure),
        part="trailing",
        title="latest failure",
        events=(seq, seq) if seq else None,
        fence_label=f"latest failure (event {seq})",
    )
