"""Gathers what one build reads: state, the end of the log, named events, memory, profile. Decides nothing, writes nothing.

Cost depends on the window: a snapshot and at most a page of events for the state, and for the tail what the transcript
could hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from contextapp.contexts.errors import CannotBuild
from contextapp.contexts.states import state_upto
from contextapp.contexts.tails import Tail
from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs, MemoryRevision, ModelProfile
from contextapp.engine.policy import Policy
from contextapp.engine.projection.state import SessionState
from contextapp.engine.sources.memory import reachable_directories
from contextapp.engine.sources.reach import tail_weight
from contextapp.engine.sources.recall import query
from contextapp.engine.sources.validity import instant
from contextapp.eventlog.models import Session
from contextapp.memory.selectors import Asked, revisions_in_scope
from contextapp.policy.profiles import profile_for


@dataclass(frozen=True, slots=True)
class Place:
    """Which input is to be built: the step's number and turn, the log prefix, and the instant it is built for."""

    step: int
    turn: int
    log_seq: int
    as_of: str


def profile_of(session: Session, model: str, calibration: int | None = None) -> ModelProfile:
    """The model's profile; what the session says of the window of its own model counts more. CannotBuild without a window."""
    profile = profile_for(model, session.project_id, calibration)
    if session.model_window_tokens and (model == session.model or profile.window_tokens is None):
        profile = replace(profile, window_tokens=session.model_window_tokens)
    if profile.window_tokens is None:
        raise CannotBuild(unknown_window(model))
    return profile


def unknown_window(model: str) -> str:
    if not model:
        return _(
            "This session names no model, so its context window is unknown. Name the model when the session is opened."
        )
    return _(
        "The context window of model %(model)s is unknown, and a guess would be worse than none. "
        "Give model_window_tokens when the session is opened."
    ) % {"model": model}


def load_inputs(
    session: Session,
    place: Place,
    profile: ModelProfile,
    policy: Policy,
    *,
    state: SessionState | None = None,
    previous_blocks: tuple[tuple[str, int], ...] = (),
    memory: Sequence[MemoryRevision] | None = None,
    tail: Tail | None = None,
) -> BuildInputs:
    """`session` with its project and workspace loaded; `state` and `tail` if the caller has them. `memory` None: what is in
    scope now."""
    state = state or state_upto(session.id, place.log_seq)
    tail = tail or Tail(session.id)
    events = tail.upto(place.log_seq, tail_weight(profile.window_tokens or 0, policy))
    indexed = tail.named(named_before(state, events))
    inputs = inputs_of(session, place, profile, state, events, indexed, memory or (), previous_blocks)
    return inputs if memory is not None else with_memory(inputs, session)


def with_memory(inputs: BuildInputs, session: Session) -> BuildInputs:
    """With the memory in scope now that these inputs ask for, by the words that the engine will rank it by."""
    asked = Asked(tuple(sorted(query(inputs))), instant(inputs.as_of), reachable_directories(inputs))
    return replace(inputs, memory=revisions_in_scope(session.project_id, session, asked))


def inputs_of(
    session: Session,
    place: Place,
    profile: ModelProfile,
    state: SessionState,
    tail: Sequence[Event],
    indexed: Sequence[Event],
    memory: Sequence[MemoryRevision],
    previous_blocks: tuple[tuple[str, int], ...],
) -> BuildInputs:
    return BuildInputs(
        project_id=str(session.project_id),
        session_id=str(session.id),
        step=place.step,
        turn=place.turn,
        state=state,
        events=tuple(tail),
        indexed=tuple(indexed),
        memory=tuple(memory),
        profile=profile,
        fence_secret=bytes(session.project.fence_secret),
        as_of=place.as_of,
        previous_blocks=previous_blocks,
        workspace_root=session.workspace.root if session.workspace else "",
        user=session.user,
    )


def named_before(state: SessionState, tail: Sequence[Event]) -> list[int]:
    """The events that the state names and the tail does not hold."""
    first = tail[0].seq if tail else state.seq + 1
    return [seq for seq in state.indexed_seqs() if seq < first]
