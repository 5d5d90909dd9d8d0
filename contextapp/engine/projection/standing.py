"""The fold over what stands beside the conversation: tools, resources, compactions, erasure. Each function gives the changed
fields."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from contextapp.engine.events import Event, Payload
from contextapp.engine.projection.conversation import Changes, first_and_newest
from contextapp.engine.projection.payloads import id_of, list_of, short, text_of, visible, whole
from contextapp.engine.projection.state import (
    LINE_CHARS,
    MAX_INDEXED,
    MAX_MARKS,
    CompactionMark,
    SessionState,
)


def tools_available(state: SessionState, event: Event, payload: Payload) -> Changes:
    if payload.get("mode") in ("add", "remove"):
        return {"tools_seqs": first_and_newest((*state.tools_seqs, event.seq), MAX_INDEXED)}
    return {"tools_seqs": (event.seq,)}


def resource_included(state: SessionState, event: Event, payload: Payload) -> Changes:
    identity = short(text_of(payload, "path"), LINE_CHARS) or _resource_name(payload)
    kept = [(key, seq) for key, seq in zip(state.resource_ids, state.resource_seqs, strict=True) if key != identity]
    kept = [*kept, (identity, event.seq)][-MAX_INDEXED:]
    return {"resource_ids": tuple(key for key, _ in kept), "resource_seqs": tuple(seq for _, seq in kept)}


def _resource_name(payload: Payload) -> str:
    """One record of a harness may bring several texts under one id, so what they say tells them apart."""
    said = hashlib.sha256(text_of(payload, "text").encode()).hexdigest()[:16]
    return short(":".join((id_of(payload, "id"), text_of(payload, "kind"), said)), LINE_CHARS)


def retrieval_completed(state: SessionState, event: Event, payload: Payload) -> Changes:
    return {"retrieval_seq": event.seq}


def session_compacted(state: SessionState, event: Event, payload: Payload) -> Changes:
    """A boundary opens a mark, a summary of the same step completes it; `cleared` names results only."""
    part = payload.get("part")
    if part == "cleared":
        cleared = [id_of({"id": call_id}, "id") for call_id in list_of(payload, "cleared_call_ids")]
        merged = dict.fromkeys((*state.cleared_calls, *(call_id for call_id in cleared if call_id)))
        return {"cleared_calls": tuple(merged)[-MAX_INDEXED:]}
    has_summary = visible(event) and bool(text_of(payload, "summary").strip())
    held = state.compaction
    if part == "summary":
        if not has_summary:
            return {}  # an empty summary never takes the place of what it was made from
        if held and not held.summary_seq and held.step == state.step:
            covers_to = covered_to(event, payload) if payload.get("covers") else held.covers_to
            after = whole(payload, "after_tokens")
            joined = replace(held, summary_seq=event.seq, covers_to=covers_to, after_tokens=after or held.after_tokens)
            return {"compaction": joined}
    mark = CompactionMark(
        seq=event.seq,
        covers_to=covered_to(event, payload),
        summary_seq=event.seq if has_summary else 0,
        by=short(text_of(payload, "by") or text_of(payload, "trigger"), LINE_CHARS),
        before_tokens=whole(payload, "before_tokens"),
        after_tokens=whole(payload, "after_tokens"),
        step=state.step,
    )
    earlier = (*state.earlier_compactions, held)[-MAX_MARKS:] if held else state.earlier_compactions
    return {"compaction": mark, "earlier_compactions": earlier, "compaction_count": state.compaction_count + 1}


def covered_to(event: Event, payload: Payload) -> int:
    """The last event that the compaction stands for; without `covers`, the one before it."""
    covers = list_of(payload, "covers")
    last = whole({"last": covers[1]}, "last") if len(covers) == 2 else None
    return event.seq - 1 if last is None else max(0, min(last, event.seq - 1))


def compaction_withdrawn(state: SessionState, event: Event, payload: Payload) -> Changes:
    """The named compaction no longer counts; the one before it is in force again."""
    seq = whole(payload, "seq")
    marks = [mark for mark in (*state.earlier_compactions, state.compaction) if mark]
    kept = [mark for mark in marks if not seq or seq not in (mark.seq, mark.summary_seq)]
    return {
        "earlier_compactions": tuple(kept[:-1]),
        "compaction": kept[-1] if kept else None,
        "compaction_count": max(0, state.compaction_count - (len(marks) - len(kept))),
    }


def event_redacted(state: SessionState, event: Event, payload: Payload) -> Changes:
    """What the erased events said leaves the state too."""
    first, last = whole(payload, "first_seq"), whole(payload, "last_seq")
    if first is None or last is None or first > last:
        return {}

    def gone(seq: int) -> bool:
        return first <= seq <= last

    marks = [mark for mark in (*state.earlier_compactions, state.compaction) if mark]
    marks = [replace(mark, summary_seq=0) if gone(mark.summary_seq) else mark for mark in marks]
    changes: Changes = {
        "redacted": (*state.redacted, (first, last))[-MAX_INDEXED:],
        "earlier_compactions": tuple(marks[:-1]),
        "compaction": marks[-1] if marks else None,
    }
    for name in ("constraints", "commands", "denials", "open_calls"):
        changes[name] = tuple(item for item in getattr(state, name) if not gone(item.seq))
    changes["files"] = tuple(file for file in state.files if not (gone(file.read_seq) or gone(file.modified_seq)))
    for name in ("user_seqs", "tools_seqs", "batch_seqs"):
        changes[name] = tuple(seq for seq in getattr(state, name) if not gone(seq))
    for ids, seqs in (("instruction_ids", "instruction_seqs"), ("resource_ids", "resource_seqs")):
        kept = [pair for pair in zip(getattr(state, ids), getattr(state, seqs), strict=True) if not gone(pair[1])]
        changes[ids] = tuple(key for key, _ in kept)
        changes[seqs] = tuple(seq for _, seq in kept)
    if state.retrieval_seq and gone(state.retrieval_seq):
        changes["retrieval_seq"] = 0
    if state.goal:
        changes["goal"] = _goal_without(state, gone(state.goal.seq), gone(state.goal.latest_seq))
    if gone(state.plan_seq):
        changes |= {"plan": (), "plan_seq": 0}
    if gone(state.latest_failure_seq):
        changes |= {"latest_failure": "", "latest_failure_seq": 0}
    return changes


def _goal_without(state: SessionState, first_gone: bool, latest_gone: bool) -> object:
    goal = state.goal
    if goal is None or (first_gone and latest_gone):
        return None
    if first_gone:
        return replace(goal, text=goal.latest_text, seq=goal.latest_seq)
    return replace(goal, latest_text=goal.text, latest_seq=goal.seq) if latest_gone else goal


def session_ended(state: SessionState, event: Event, payload: Payload) -> Changes:
    return {"ended": True}
