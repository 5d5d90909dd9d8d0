"""The conversation as sources: one per message, grouped by atom, and one row for everything beyond reach. Drops nothing
for budget: what may be old, stale or out is said by weights that the fit compares with its edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from contextapp.engine import events as kinds
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.policy import Policy
from contextapp.engine.projection.atoms import Atom, Refused
from contextapp.engine.projection.payloads import payload_of, text_of
from contextapp.engine.projection.transcript import assemble, stale_reads
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import passages, results
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.reach import Reach, Run, reach
from contextapp.engine.sources.results import Setting
from contextapp.engine.sources.source import RANK_LATEST, RANK_OLDER, RANK_TAIL, Form, Source
from contextapp.engine.tokens import weight
from contextapp.engine.values import Bucket, Trust


def collect(inputs: BuildInputs, policy: Policy) -> tuple[Source, ...]:
    """Sources of the atoms in log order, then those that can't stand in a transcript, each with its reason."""
    allotment = (inputs.profile.window_tokens or 0) * policy.ratios[Bucket.TRANSCRIPT] // 100
    if policy.lend_unused:
        allotment = inputs.profile.window_tokens or 0
    near = reach(inputs, allotment)
    transcript = assemble(near.events, inputs.state)
    setting = Setting(policy, inputs.workspace_root, inputs.profile.supports_tools)
    atoms = _placed(transcript.atoms, near, inputs, setting)
    refused = (
        *_beyond(near, transcript.atoms),
        *_thinking(transcript.atoms, policy),
        *map(_refused, transcript.refused),
    )
    return (*_ranked(atoms, policy, inputs), *refused)


def _placed(atoms: Sequence[Atom], near: Reach, inputs: BuildInputs, setting: Setting) -> list[tuple[Source, ...]]:
    """Each atom's sources with the weight where it ends and, for a read, the weight where it went stale."""
    ends = {atom.first_seq: near.ends.get(atom.last_seq, 0) for atom in atoms}
    stale = stale_reads(atoms)
    atom_of_call = {call.seq: atom for atom in atoms for message in atom.messages for call in message.calls}
    stale_ends = {read: ends[atom_of_call[by].first_seq] for read, by in stale.items() if by in atom_of_call}
    placed = []
    for atom in atoms:
        sources = tuple(
            replace(
                source,
                group=atom.first_seq,
                ends=ends[atom.first_seq],
                stale_ends=stale_ends.get(call_seq, 0),
                pinned=atom.is_open or source.pinned,
            )
            for source, call_seq in _sources(atom, stale, inputs, setting)
        )
        if sources:
            placed.append(sources)
    return placed


def _sources(
    atom: Atom, stale: Mapping[int, int], inputs: BuildInputs, setting: Setting
) -> Iterator[tuple[Source, int]]:
    """(source, seq of the call it answers or 0) of every message that has something to say."""
    calls = {call.seq: call for message in atom.messages for call in message.calls}
    answered = {message.call_seq for message in atom.messages if message.role == "tool"}
    for message in atom.messages:
        if message.role == "user":
            yield _as_goal(passages.user(message, setting), inputs), 0
        elif message.role == "summary":
            yield passages.summary(message, _summary_trust(inputs)), 0
        elif message.role == "tool":
            call = calls.get(message.call_seq)
            yield results.result(message, call, stale.get(message.call_seq, 0), setting), message.call_seq
        elif message.text.strip() or message.calls or (setting.policy.keep_thinking and message.thinking):
            yield passages.assistant(message, message.calls, setting), 0
    asked = {call.seq for call in inputs.state.open_calls if call.approval == "pending"}
    for seq, call in calls.items():
        if seq not in answered:
            yield results.waiting(call, setting, for_approval=seq in asked), seq


def _as_goal(source: Source, inputs: BuildInputs) -> Source:
    """The newest user message is floor; the first one keeps its place in front of the window."""
    goal = inputs.state.goal
    seq = source.events[0] if source.events else 0
    if goal is None or seq not in (goal.seq, goal.latest_seq):
        return source
    return replace(source, pinned=seq == goal.latest_seq, is_anchor=seq == goal.seq)


def _summary_trust(inputs: BuildInputs) -> Trust:
    """As the compaction says of what it covers; nothing said is no trust."""
    mark = inputs.state.summary_mark
    if mark is None:
        return Trust.UNTRUSTED
    (event,) = named_events(inputs, [mark.summary_seq])
    named = text_of(payload_of(event), "trust")
    return Trust.FACT if named in (Trust.FACT.value, Trust.TRUSTED.value) else Trust.UNTRUSTED


def _ranked(atoms: Sequence[tuple[Source, ...]], policy: Policy, inputs: BuildInputs) -> Iterator[Source]:
    """The last atoms that hold the policy's number of key events are the tail; the newest result is the latest observation."""
    tail = len(atoms)
    held = 0
    while tail > 0 and held < policy.limits.tail_key_events and atoms[tail - 1][0].kind != "summary":
        tail -= 1
        held += len(atoms[tail])
    latest = inputs.state.latest_observation_seq
    for place, atom in enumerate(atoms):
        is_latest = any(source.kind == "tool_result" and _holds(source, latest) for source in atom)
        for source in atom:
            rank = RANK_OLDER if place < tail else RANK_LATEST if is_latest else RANK_TAIL
            yield replace(source, rank=rank, reason=_reason(source, rank, latest))


def _holds(source: Source, seq: int) -> bool:
    return source.events is not None and source.events[0] <= seq <= source.events[1]


def _reason(source: Source, rank: int, latest: int) -> Reason:
    if source.reason != Reason.OLDER_HISTORY:
        return source.reason
    if source.pinned:
        return Reason.OPEN_CALL
    if rank == RANK_LATEST and source.kind == "tool_result" and _holds(source, latest):
        return Reason.LATEST_OBSERVATION
    return Reason.OLDER_HISTORY if rank == RANK_OLDER else Reason.RECENT_TAIL


def _beyond(near: Reach, atoms: Sequence[Atom]) -> Iterator[Source]:
    """What lies before the reach: under the summary, or too far back for this window."""
    summaries = [atom.messages[0] for atom in atoms if atom.kind == "summary"]
    if near.summarized and summaries:
        yield _run(near.summarized, Reason.SUMMARIZED, passages.summary_id(summaries[0]))
    if near.unread:
        yield _run(near.unread, Reason.BUCKET_BUDGET, "")


def _run(run: Run, reason: Reason, displaced_by: str) -> Source:
    return Source(
        id=f"events:{run.first_seq}-{run.last_seq}",
        kind="transcript",
        bucket=Bucket.TRANSCRIPT,
        rank=RANK_OLDER,
        trust=Trust.UNTRUSTED,
        reason=Reason.OLDER_HISTORY,
        form=Form("", detail=f"{run.count} events"),
        events=(run.first_seq, run.last_seq),
        refusal=reason,
        displaced_by=displaced_by,
        count=run.count,
        weight=run.weight,
    )


def _thinking(atoms: Sequence[Atom], policy: Policy) -> Iterator[Source]:
    """Thinking that is not sent, as one row."""
    thoughts = [message for atom in atoms for message in atom.messages if message.thinking]
    if policy.keep_thinking or not thoughts:
        return
    first, last = thoughts[0].first_seq, thoughts[-1].last_seq
    yield Source(
        id=f"thinking:{first}-{last}",
        kind="thinking",
        bucket=Bucket.TRANSCRIPT,
        rank=RANK_OLDER,
        trust=Trust.FACT,
        reason=Reason.OLDER_HISTORY,
        form=Form(""),
        events=(first, last),
        refusal=Reason.THINKING_DROPPED,
        count=len(thoughts),
        weight=sum(weight(message.thinking) for message in thoughts),
    )


def _refused(refused: Refused) -> Source:
    """A row of the assembly. A call has its own name, since the message it was part of is named by the same event."""
    is_run = refused.count > 1
    prefix = "call" if refused.kind == kinds.TOOL_REQUESTED else "event"
    return Source(
        id=(
            f"{refused.kind}:{refused.first_seq}-{refused.last_seq}:{refused.reason}"
            if is_run
            else f"{prefix}:{refused.first_seq}"
        ),
        kind=refused.kind,
        bucket=Bucket.TRANSCRIPT,
        rank=RANK_OLDER,
        trust=Trust.UNTRUSTED,
        reason=Reason.OLDER_HISTORY,
        form=Form(""),
        events=(refused.first_seq, refused.last_seq),
        refusal=Reason(refused.reason),
        count=refused.count,
        weight=weight(refused.text),
    )
