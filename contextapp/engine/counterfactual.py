"""What one more memory record would do to a call: the memory bucket filled twice, with it and without. No other bucket
is touched, and nothing is rendered but memory. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from contextapp.engine import budget
from contextapp.engine.fit import Fitted, fit_in_order
from contextapp.engine.inputs import BuildInputs, MemoryRevision
from contextapp.engine.lanes import Lanes
from contextapp.engine.policy import Policy
from contextapp.engine.request.frame import JOIN_TOKENS
from contextapp.engine.sources import memory
from contextapp.engine.tokens import TokenCounter
from contextapp.engine.values import Bucket


@dataclass(frozen=True, slots=True)
class Effect:
    """`entered`: it would have stood in the request, with `tokens`; `reason` says why it would, or why not. `displaced`: the
    records that would have stood there without it, and not with it."""

    entered: bool
    tokens: int
    reason: str
    displaced: tuple[str, ...]


def effect(inputs: BuildInputs, candidate: MemoryRevision, policy: Policy, counter: TokenCounter) -> Effect:
    """`inputs.memory` is what was approved; the candidate is taken as approved, whatever its state is. UnknownWindow as in a
    build."""
    approved = replace(candidate, state="approved")
    others = tuple(revision for revision in inputs.memory if revision.reference != approved.reference)
    before = _fill(replace(inputs, memory=others), policy, counter)
    after = _fill(replace(inputs, memory=(*others, approved)), policy, counter)
    stood = {rendered.source.id for rendered in before.kept}
    stands = {rendered.source.id: rendered for rendered in after.kept}
    found = stands.get(approved.reference)
    if found is None:
        return Effect(False, 0, _why_not(after, inputs, approved, others, policy), ())
    return Effect(True, found.tokens, found.source.reason.value, tuple(sorted(stood - stands.keys())))


def _fill(inputs: BuildInputs, policy: Policy, counter: TokenCounter) -> Fitted:
    lanes = Lanes(secret=inputs.fence_secret, session_id=inputs.session_id, counter=counter)
    limit = budget.allot(policy, inputs.profile).limits[Bucket.MEMORY]
    admitted = [source for source in memory.collect(inputs, policy) if source.refusal is None]
    return fit_in_order(admitted, limit, lanes, JOIN_TOKENS)


def _why_not(
    after: Fitted, inputs: BuildInputs, candidate: MemoryRevision, others: tuple[MemoryRevision, ...], policy: Policy
) -> str:
    dropped = next((one for one in after.dropped if one.source.id == candidate.reference), None)
    if dropped is not None:
        return dropped.reason.value
    sources = memory.collect(replace(inputs, memory=(*others, candidate)), policy)
    refused = next((source for source in sources if source.id == candidate.reference), None)
    return refused.refusal.value if refused is not None and refused.refusal is not None else ""
