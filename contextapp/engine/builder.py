"""The spine of the engine: one build, in the order of DESIGN section 4. Read this first.

    collect -> gate -> budget -> fit -> order -> count and check      (a form is isolated where it becomes a block: lanes.py)

Pure: the same inputs, policy and counter give the same bytes. Never raises for a request that is too large: that is a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from contextapp.engine import baselines, budget
from contextapp.engine.balance import balance
from contextapp.engine.budget import Allotments
from contextapp.engine.fit import Dropped, Fitted, fit_in_order, framed, keep_all
from contextapp.engine.header import Made, header, inputs_sha256
from contextapp.engine.inputs import BuildInputs, Built
from contextapp.engine.lanes import Lanes, Rendered
from contextapp.engine.ordering import order
from contextapp.engine.overflow import Standing, judge
from contextapp.engine.policy import Policy
from contextapp.engine.request.frame import JOIN_TOKENS, MESSAGE_TOKENS, TOOLS_TOKENS
from contextapp.engine.request.neutral import ModelRequest
from contextapp.engine.sources import collect
from contextapp.engine.sources.source import Source
from contextapp.engine.tokens import TokenCounter
from contextapp.engine.transcript_share import TranscriptShare, share_transcript
from contextapp.engine.values import Bucket, Verdict


def build(inputs: BuildInputs, policy: Policy, counter: TokenCounter) -> Built:
    """The request for one model call with the ledger of every source; without a request where the floor is too large."""
    allotments = budget.allot(policy, inputs.profile)
    lanes = Lanes(secret=inputs.fence_secret, session_id=inputs.session_id, counter=counter)

    if policy.baseline:
        allotments = baselines.without_buckets(allotments)

    admitted, refused = _gate(collect(inputs, baselines.without_limits(policy) if policy.baseline else policy))
    fit = _fit(admitted, refused, inputs, policy, allotments, lanes)
    ordered = order(fit.kept, policy.layout)
    sums = balance(ordered, fit.dropped, fit.borrowed, allotments, inputs, lanes)

    overflow = judge(fit.standing(sums.ledger.floor_tokens, sums.ledger.total_tokens), allotments, policy)
    request = ModelRequest(inputs.profile.model, allotments.reserve, tuple(rendered.block for rendered in ordered))
    request_sha256 = "" if overflow else request.sha256_of(sums.digests)
    made_from = inputs_sha256(inputs, policy, counter)
    verdict = Verdict.OVERFLOW if overflow else Verdict.OK
    return Built(
        verdict=verdict,
        request=None if overflow else request,
        ledger=sums.ledger,
        header=header(
            inputs, policy, counter, Made(sums.ledger, ordered, sums.first_changed, request_sha256, verdict), made_from
        ),
        inputs_sha256=made_from,
        request_sha256=request_sha256,
        overflow=overflow,
    )


def _gate(candidates: Sequence[Source]) -> tuple[list[Source], list[Source]]:
    """Those that no gate turned away, and the others. Each carries a name of its own from here on."""
    admitted: list[Source] = []
    refused: list[Source] = []
    names: set[str] = set()
    for source in candidates:
        if source.id in names:
            source = replace(source, id=f"{source.id}#{len(names)}")
        names.add(source.id)
        (refused if source.refusal else admitted).append(source)
    return admitted, refused


@dataclass(frozen=True, slots=True)
class _Fit:
    """What each bucket kept and dropped, and what the transcript had to do with."""

    instructions: Fitted
    tools: Fitted
    resources: Fitted
    memory: Fitted
    transcript: TranscriptShare
    refused: tuple[Dropped, ...]
    borrowed: int
    room: int

    @property
    def parts(self) -> tuple[Fitted, ...]:
        share = self.transcript
        return (
            self.instructions, self.tools, self.resources, share.history,
            share.floor, share.state, share.evidence, self.memory,
        )  # fmt: skip

    @property
    def kept(self) -> list[Rendered]:
        return [rendered for part in self.parts for rendered in part.kept]

    @property
    def dropped(self) -> list[Dropped]:
        return [*(dropped for part in self.parts for dropped in part.dropped), *self.refused]

    def standing(self, floor_tokens: int, total_tokens: int) -> Standing:
        return Standing(
            instructions=self.instructions,
            others=self.tools.cost + self.resources.cost + self.memory.cost,
            required=self.transcript.required,
            room=self.room,
            borrowed=self.borrowed,
            floor_tokens=floor_tokens,
            total_tokens=total_tokens,
            pinned=self.transcript.pinned,
        )


def _fit(
    admitted: Sequence[Source], refused: Sequence[Source], inputs: BuildInputs, policy: Policy,
    allotments: Allotments, lanes: Lanes,
) -> _Fit:  # fmt: skip
    """Every bucket by its own rule. The transcript comes last, since it alone pays what the instructions borrow."""
    limits = allotments.limits

    def of(bucket: Bucket) -> list[Source]:
        return [source for source in admitted if source.bucket == bucket]

    instructions = framed(keep_all(of(Bucket.INSTRUCTIONS), lanes, JOIN_TOKENS), MESSAGE_TOKENS - JOIN_TOKENS)
    tools = framed(
        fit_in_order(of(Bucket.TOOL_SCHEMAS), limits[Bucket.TOOL_SCHEMAS] - TOOLS_TOKENS, lanes, 0), TOOLS_TOKENS
    )
    resources = fit_in_order(of(Bucket.MCP_RESOURCES), limits[Bucket.MCP_RESOURCES], lanes, MESSAGE_TOKENS)
    memory = fit_in_order(of(Bucket.MEMORY), limits[Bucket.MEMORY], lanes, JOIN_TOKENS)
    costs = {
        Bucket.INSTRUCTIONS: instructions.cost, Bucket.TOOL_SCHEMAS: tools.cost,
        Bucket.MCP_RESOURCES: resources.cost, Bucket.MEMORY: memory.cost,
    }  # fmt: skip

    borrowed = budget.borrowed(instructions.cost, allotments)
    room = limits[Bucket.TRANSCRIPT] - borrowed + (budget.unused(costs, allotments) if policy.lend_unused else 0)
    if policy.baseline:
        chunks = [source for source in refused if source.kind == "evidence"]
        elsewhere = sum(costs.values())
        transcript = baselines.share_transcript(of(Bucket.TRANSCRIPT), chunks, elsewhere, allotments, policy, lanes)
    else:
        transcript = share_transcript(of(Bucket.TRANSCRIPT), refused, room, inputs, policy, lanes)
    out = tuple(Dropped(source, source.refusal, source.displaced_by) for source in refused if source.refusal)
    return _Fit(instructions, tools, resources, memory, transcript, out, borrowed, room)
