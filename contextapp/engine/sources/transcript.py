"""The conversation as sources: one per message, grouped by atom, and one row for everything beyond reach. Drops nothing
for budget: what may be old, stale or out is said by weights that the fit compares with its edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from contextapp.engine import events as kinds
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.kept import Kept
from contextapp.engine.policy import Limits, Policy
from contextapp.engine.projection.atoms import Atom, Refused
from contextapp.engine.projection.messages import user_message
from contextapp.engine.projection.payloads import payload_of, text_of
from contextapp.engine.projection.state import SessionState
from contextapp.engine.projection.transcript import assemble, stale_reads
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import passages, results
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.reach import Reach, Run, reach
from contextapp.engine.sources.results import Setting
from contextapp.engine.sources.source import RANK_LATEST, RANK_OLDER, RANK_TAIL, Form, Place, Source
from contextapp.engine.tokens import weight
from contextapp.engine.values import Bucket, Trust


def collect(inputs: BuildInputs, policy: Policy) -> tuple[Source, ...]:
    """Sources of the atoms in log order, then those that can't stand in a transcript, each with its reason."""
    near = reach(inputs, policy)
    transcript = assemble(near.events, inputs.state)
    atoms = _with_words(transcript.atoms, near)
    setting = Setting(policy, inputs.workspace_root, inputs.profile.supports_tools)
    said = _said(atoms, near, inputs, setting)
    refused = map(_refused, transcript.refused)
    return (*said, *_beyond(near, transcript.atoms), *_thinking(transcript.atoms, policy), *refused)


def _with_words(atoms: Sequence[Atom], near: Reach) -> tuple[Atom, ...]:
    """The atoms with the user's words that a summary would else stand for, right behind it."""
    words = [Atom("user", (user_message(event),)) for event in near.kept_words]
    start = sum(1 for atom in atoms if atom.kind == "summary")
    return (*atoms[:start], *words, *atoms[start:])


def _said(atoms: Sequence[Atom], near: Reach, inputs: BuildInputs, setting: Setting) -> Iterator[Source]:
    """Every message's source with its place: the atom it belongs to, the weight where that ends and, for a read, the weight
    where it went stale; and its rank, by how new the atom is."""
    ends = {atom.first_seq: near.ends.get(atom.last_seq, 0) for atom in atoms}
    atom_of_call = {call.seq: atom.first_seq for atom in atoms for message in atom.messages for call in message.calls}
    stale = {read: (by, ends[atom_of_call[by]]) for read, by in stale_reads(atoms).items() if by in atom_of_call}
    tail_start = _tail_start(atoms, setting.policy.limits)
    asked = frozenset(call.seq for call in inputs.state.open_calls if call.approval == "pending")
    trust, key_of_setting = _summary_trust(inputs), setting.key
    for number, atom in enumerate(atoms):
        place = _place(atom, ends[atom.first_seq], number < tail_start, inputs.state)
        ages = tuple(stale.get(call.seq) for call in atom.messages[0].calls) if stale else ()
        key = (atom, place, ages, asked if atom.is_open else (), trust, key_of_setting)
        chars = 2 * sum(len(message.text) for message in atom.messages)
        yield from _sources.of(key, chars, partial(_made, atom, place, stale, asked, trust, setting))


_sources: Kept[tuple[Source, ...]] = Kept()


def _place(atom: Atom, ends: int, is_older: bool, state: SessionState) -> Place:
    latest, goal, first_seq = state.latest_observation_seq, state.goal, atom.first_seq
    is_latest = any(message.role == "tool" and message.first_seq == latest for message in atom.messages)
    return Place(
        group=first_seq,
        ends=ends,
        rank=RANK_OLDER if is_older else RANK_LATEST if is_latest else RANK_TAIL,
        latest_seq=latest if is_latest else 0,
        is_open=atom.is_open,
        is_newest_message=goal is not None and first_seq == goal.latest_seq,
        is_anchor=atom.kind == "summary" or (goal is not None and first_seq == goal.seq),
    )


def _tail_start(atoms: Sequence[Atom], limits: Limits) -> int:
    """The place of the first of the last atoms that hold the usual number of messages. One that would lead beyond the most
    stays out, unless the tail has not even the least without it."""
    start, held = len(atoms), 0
    while start > 0 and held < limits.tail_key_events and atoms[start - 1].kind != "summary":
        more = held + len(atoms[start - 1].messages)
        if more > limits.tail_key_events_max and held >= limits.tail_key_events_min:
            break
        start, held = start - 1, more
    return start


def _made(
    atom: Atom,
    place: Place,
    stale: Mapping[int, tuple[int, int]],
    asked: frozenset[int],
    trust: Trust,
    setting: Setting,
) -> tuple[Source, ...]:
    """Of every message that has something to say, and of every call that nobody answered yet."""
    calls = {call.seq: call for message in atom.messages for call in message.calls}
    answered = set()
    made = []
    for message in atom.messages:
        if message.role == "user":
            made.append(passages.user(message, place))
        elif message.role == "summary":
            made.append(passages.summary(message, trust, place))
        elif message.role == "tool":
            answered.add(message.call_seq)
            stale_by, stale_ends = stale.get(message.call_seq, (0, 0))
            made.append(results.result(message, calls.get(message.call_seq), stale_by, stale_ends, place, setting))
        elif message.text.strip() or message.calls or (setting.policy.keep_thinking and message.thinking):
            made.append(passages.assistant(message, place, setting))
    for seq in sorted(calls.keys() - answered):
        made.append(results.waiting(calls[seq], place, setting, for_approval=seq in asked))
    return tuple(made)


def _summary_trust(inputs: BuildInputs) -> Trust:
    """As the compaction says of what it covers, and never better than that: over any quoted text it is quoted itself.
    Nothing said is no trust."""
    mark, quoted = inputs.state.summary_mark, inputs.state.first_untrusted_seq
    if mark is None or 0 < quoted <= mark.covers_to:
        return Trust.UNTRUSTED
    (event,) = named_events(inputs, [mark.summary_seq])
    named = text_of(payload_of(event), "trust")
    return Trust.FACT if named in (Trust.FACT.value, Trust.TRUSTED.value) else Trust.UNTRUSTED


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
