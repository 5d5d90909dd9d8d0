"""The naive ways to fill a window, kept as policies to compare with and to test against. Never the way of a live agent.

identity: everything, only counted; last_n: the newest messages; sliding_window: the newest tokens. All three leave results and
instructions as long as they are and share no buckets, so the one verdict left is the window's. Gates hold as ever: what the
model may not see, orphans and unapproved memory stay out. Atoms stay whole and the floor stays in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

from contextapp.engine.budget import PARTS, Allotments
from contextapp.engine.fit import Dropped, Fitted, fit_evidence, keep_all
from contextapp.engine.lanes import Lanes, Rendered
from contextapp.engine.policy import IDENTITY, LAST_N, Policy
from contextapp.engine.reasons import Reason
from contextapp.engine.request.frame import ANSWER_TOKENS, JOIN_TOKENS, MESSAGE_TOKENS
from contextapp.engine.sources.source import Source
from contextapp.engine.transcript_share import SPLIT_TRAILING, TranscriptShare

ENDLESS = 1 << 40  # more tokens than any log holds

Atom = tuple[Rendered, ...]


def without_limits(policy: Policy) -> Policy:
    """The policy under which sources are collected: nothing is cut or thinned out on the way."""
    limits = replace(
        policy.limits,
        file_read_lines=ENDLESS,
        search_matches=ENDLESS,
        list_entries=ENDLESS,
        result_chars=ENDLESS,
        result_tokens=ENDLESS,
        instruction_file_chars=ENDLESS,
        memory_records=ENDLESS,
    )
    return replace(policy, limits=limits, stable_tools=True)


def without_buckets(allotments: Allotments) -> Allotments:
    """What each bucket may take: anything. What the policy allots stays as it is, for the ledger."""
    return replace(allotments, limits=dict.fromkeys(allotments.limits, ENDLESS), instructions_hard=ENDLESS)


def share_transcript(
    sources: Sequence[Source],
    refused: Sequence[Source],
    elsewhere: int,
    allotments: Allotments,
    policy: Policy,
    lanes: Lanes,
) -> TranscriptShare:
    """Everything that stands beside the conversation, and of the conversation what the baseline keeps. `elsewhere`: the cost of
    the other buckets."""
    standing = [source for source in sources if not source.group and source.kind != "evidence"]
    floor = keep_all([source for source in standing if source.pinned], lanes, JOIN_TOKENS)
    state = keep_all([source for source in standing if not source.pinned], lanes, JOIN_TOKENS)
    evidence = fit_evidence([source for source in sources if source.kind == "evidence"], refused, ENDLESS, lanes)
    atoms = [
        tuple(lanes.full(source) for source in group)
        for _, group in groupby((source for source in sources if source.group), key=lambda source: source.group)
    ]
    frame = ANSWER_TOKENS + MESSAGE_TOKENS * SPLIT_TRAILING
    taken = elsewhere + frame + floor.cost + state.cost + evidence.cost
    history = _newest(atoms, _measure(policy), _most(policy, allotments, taken))
    return TranscriptShare(floor, state, evidence, history, required=0)


def _measure(policy: Policy) -> Callable[[Atom], int]:
    if policy.baseline == LAST_N:
        return len
    return lambda atom: sum(rendered.cost for rendered in atom)


def _most(policy: Policy, allotments: Allotments, taken: int) -> int:
    """How many messages or tokens; tokens that the policy does not name are what the window leaves."""
    if policy.baseline == IDENTITY:
        return ENDLESS
    if policy.baseline == LAST_N:
        return policy.baseline_messages
    left = (allotments.window - allotments.reserve) * PARTS // allotments.factor_parts - taken
    return min(left, policy.baseline_tokens) if policy.baseline_tokens else left


def _newest(atoms: Sequence[Atom], measure: Callable[[Atom], int], most: int) -> Fitted:
    """The atoms of the floor, then from the newest back as many as the measure allows, without a gap."""
    is_pinned = [any(rendered.source.pinned for rendered in atom) for atom in atoms]
    room = most - sum(measure(atom) for atom, pinned in zip(atoms, is_pinned, strict=True) if pinned)
    start = len(atoms)
    while start > 0 and (is_pinned[start - 1] or measure(atoms[start - 1]) <= room):
        start -= 1
        room -= 0 if is_pinned[start] else measure(atoms[start])
    kept = [rendered for place, atom in enumerate(atoms) if place >= start or is_pinned[place] for rendered in atom]
    first = kept[0].source.id if kept else ""
    dropped = [
        Dropped(rendered.source, Reason.BASELINE_CUT, first)
        for place, atom in enumerate(atoms[:start])
        if not is_pinned[place]
        for rendered in atom
    ]
    return Fitted(tuple(kept), tuple(dropped), sum(rendered.cost for rendered in kept))
