"""How the transcript bucket is shared: goal and constraints, state, evidence, and the history that gets the rest.

When the floor leaves too little, evidence gives way first and then the state; the floor never does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contextapp.engine.edges import ruler
from contextapp.engine.fit import Fitted, fit_evidence, fit_in_order, keep_all
from contextapp.engine.history import Favour, Log, fit_history
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.lanes import Lanes, Rendered
from contextapp.engine.observations import families
from contextapp.engine.policy import Policy
from contextapp.engine.reasons import Reason
from contextapp.engine.request.frame import ANSWER_TOKENS, JOIN_TOKENS, MESSAGE_TOKENS
from contextapp.engine.shares import EVIDENCE, LATEST, STATE, part_of
from contextapp.engine.sources.reach import fresh_share
from contextapp.engine.sources.source import Source
from contextapp.engine.values import Phase

TRAILING_STEPS = 20  # the trailing block is charged in twentieths of the bucket, so that one word more moves no cut
# Whose results the phase works with: where a tail is too large, they go down the ladder after all others.
FAVOURED = {
    Phase.EDITING.value: frozenset({families.READ}),
    Phase.VERIFYING.value: frozenset({families.COMMAND, families.TEST, families.EDIT}),
}
SPLIT_TRAILING = 3  # messages that other layouts than cache_first make of the trailing block, at most


@dataclass(frozen=True, slots=True)
class TranscriptShare:
    """What each part of the bucket kept and dropped. `required`: the cost of the floor with its frames."""

    floor: Fitted
    state: Fitted
    evidence: Fitted
    history: Fitted
    required: int

    @property
    def pinned(self) -> tuple[Rendered, ...]:
        return (*self.floor.kept, *(rendered for rendered in self.history.kept if rendered.source.pinned))


def share_transcript(
    sources: Sequence[Source], refused: Sequence[Source], room: int, inputs: BuildInputs, policy: Policy, lanes: Lanes
) -> TranscriptShare:
    """The bucket within `room`, frames included. History that doesn't fit even alone says so by `history.fits`. Of `refused`
    it wants the evidence, to be named, and what was not read of the log."""
    unread = sum(source.weight for source in refused if source.refusal == Reason.BUCKET_BUDGET and not source.group)
    log = Log(inputs.state.weight, unread)
    out = [source for source in refused if source.kind == "evidence"]
    standing = [source for source in sources if not source.group and source.kind != "evidence"]
    chunks = [source for source in sources if source.kind == "evidence"]
    said = [source for source in sources if source.group]
    frame = ANSWER_TOKENS + MESSAGE_TOKENS * (1 if policy.layout == "cache_first" else SPLIT_TRAILING)

    floor = keep_all([source for source in standing if source.pinned], lanes, JOIN_TOKENS)
    pinned = sum(lanes.full(source).cost for source in said if source.pinned)
    required = frame + floor.cost + pinned
    best = TranscriptShare(floor, Fitted(), Fitted(), Fitted(), required)
    for state_limit, evidence_limit in _limits(room, inputs.state.phase, policy):
        state = fit_in_order([source for source in standing if not source.pinned], state_limit, lanes, JOIN_TOKENS)
        evidence = fit_evidence(chunks, out, evidence_limit, lanes)
        trailing = frame + floor.cost + state.cost + evidence.cost
        history = _history(said, room, trailing, inputs, log, policy, lanes)
        best = TranscriptShare(floor, state, evidence, history, required)
        if history.fits:
            break
    return best


def _limits(room: int, phase: str, policy: Policy) -> tuple[tuple[int, int], ...]:
    """(state, evidence) as they should be, without evidence, without either."""
    state = part_of(room, policy.phase_shares, phase, STATE)
    return (state, part_of(room, policy.phase_shares, phase, EVIDENCE)), (state, 0), (0, 0)


def _history(
    said: Sequence[Source], room: int, trailing: int, inputs: BuildInputs, log: Log, policy: Policy, lanes: Lanes
) -> Fitted:
    """History beside a trailing block of that cost: rounded up where there is room for it, exact where there is not."""
    step = max(1, room // TRAILING_STEPS)
    rounded = -(-trailing // step) * step
    phase = inputs.state.phase
    marks = ruler(max(0, room), policy, fresh_share(inputs.state, policy))
    favour = Favour(part_of(room, policy.phase_shares, phase, LATEST), FAVOURED.get(phase, frozenset()))
    fitted = fit_history(said, room - rounded, marks, log, lanes, favour)
    if fitted.fits or rounded == trailing:
        return fitted
    return fit_history(said, room - trailing, marks, log, lanes, favour)
