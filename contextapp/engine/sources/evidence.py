"""Chunks of the newest retrieval, best first, and the closing rule to cite them. Quoted material: a chunk never instructs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.observations.text import head
from contextapp.engine.policy import Policy
from contextapp.engine.projection.payloads import is_erased, list_of, payload_of, text_of, visible
from contextapp.engine.reasons import Reason, sentence
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.permission import is_denied
from contextapp.engine.sources.source import RANK_EVIDENCE, Form, Source
from contextapp.engine.values import Bucket, Trust

CITE = "how to cite"
LISTED = 20  # excluded paths named in the closing block
RULE = (
    "Cite what you use from these sources as [Source n]. Where they don't answer, say that they don't; "
    "never fill the gap from memory."
)
Chunk = Mapping[str, Any]  # the retriever's JSON


def collect(inputs: BuildInputs, policy: Policy) -> tuple[Source, ...]:
    """One source per chunk; those that may enter come first, by score, numbered in that order."""
    if not inputs.state.retrieval_seq:
        return ()
    (event,) = named_events(inputs, [inputs.state.retrieval_seq])
    chunks = [chunk for chunk in list_of(payload_of(event), "chunks") if isinstance(chunk, Mapping)]
    judged = [(place, chunk, _refusal(event, chunk, inputs, policy)) for place, chunk in enumerate(chunks, start=1)]
    seen: set[str] = set()
    admitted: list[Source] = []
    refused: list[Source] = []
    for place, chunk, refusal in sorted(judged, key=lambda entry: (-(_score(entry[1]) or 0.0), entry[0])):
        if refusal is None and text_of(chunk, "text") in seen:
            refusal = Reason.DUPLICATE
        if refusal is None:
            seen.add(text_of(chunk, "text"))
            admitted.append(_source(event, place, chunk, len(admitted) + 1))
        else:
            refused.append(_source(event, place, chunk, 0, refusal))
    return (*admitted, *refused)


def _score(chunk: Chunk) -> float | None:
    value = chunk.get("score")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value == value else None


def _refusal(event: Event, chunk: Chunk, inputs: BuildInputs, policy: Policy) -> Reason | None:
    if is_erased(event):
        return Reason.ERASED
    denied = is_denied(text_of(chunk, "path"), policy, inputs.workspace_root)
    if not visible(event) or chunk.get("permitted") is False or denied:
        return Reason.NOT_PERMITTED
    if not text_of(chunk, "text").strip():
        return Reason.EMPTY
    score = _score(chunk)
    return Reason.LOW_SCORE if score is not None and score < policy.limits.evidence_min_score else None


def _source(event: Event, place: int, chunk: Chunk, number: int, refusal: Reason | None = None) -> Source:
    path = text_of(chunk, "path") or text_of(chunk, "id") or f"chunk {place}"
    score = _score(chunk)
    about = [text_of(chunk, "title_path"), f"lines {text_of(chunk, 'lines')}" if chunk.get("lines") else ""]
    about.append(f"score {score:.2f}" if score is not None else "")
    head_line = " · ".join(part for part in (path, *about) if part)
    return Source(
        id=f"evidence:{event.seq}:{place}",
        kind="evidence",
        bucket=Bucket.TRANSCRIPT,
        rank=RANK_EVIDENCE,
        trust=Trust.UNTRUSTED,
        reason=Reason.EVIDENCE,
        form=Form(text_of(chunk, "text")),
        part="trailing",
        title=path,
        events=(event.seq, event.seq),
        fence_label=f"[Source {number}] {head_line}",
        refusal=refusal,
    )


def closing(event_seq: int, excluded: Sequence[tuple[Source, Reason]]) -> Source:
    """The end of the evidence: what was left out and why, and the rule to cite."""
    lines = [f"- {head(source.title, 200)}: {sentence(reason)}" for source, reason in excluded[:LISTED]]
    if len(excluded) > LISTED:
        lines.append(f"- and {len(excluded) - LISTED} more")
    listed = ["Excluded:", *lines] if lines else []
    return Source(
        id=f"evidence:{event_seq}:rule",
        kind="evidence",
        bucket=Bucket.TRANSCRIPT,
        rank=RANK_EVIDENCE,
        trust=Trust.FACT,
        reason=Reason.EVIDENCE,
        form=Form("\n".join([*listed, RULE])),
        part="trailing",
        title=CITE,
        events=(event_seq, event_seq),
    )
