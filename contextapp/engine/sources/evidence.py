"""Chunks of the newest retrieval, best first, and the closing rule to cite them. Quoted material: a chunk never instructs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contextapp.engine import isolation
from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.observations.text import head
from contextapp.engine.policy import Policy
from contextapp.engine.projection.payloads import is_erased, list_of, payload_of, text_of, visible
from contextapp.engine.reasons import Reason, sentence
from contextapp.engine.sources.generated import is_generated
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.permission import is_denied
from contextapp.engine.sources.source import RANK_EVIDENCE, Form, Source
from contextapp.engine.sources.validity import expired
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
            admitted.append(_source(event, place, chunk, len(admitted) + 1, inputs.as_of))
        else:
            refused.append(_source(event, place, chunk, 0, inputs.as_of, refusal))
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
    if _is_generated(chunk, inputs.workspace_root):
        return Reason.GENERATED_FILE
    packages = {str(name) for name in list_of(payload_of(event), "packages")}
    if packages and text_of(chunk, "package") not in packages:
        return Reason.OUTSIDE_TASK
    if expired(_bound(chunk, "valid_from"), _bound(chunk, "valid_until"), inputs.as_of):
        return Reason.EXPIRED
    score = _score(chunk)
    return Reason.LOW_SCORE if score is not None and score < policy.limits.evidence_min_score else None


def _is_generated(chunk: Chunk, workspace_root: str) -> bool:
    """As the retriever says; where it says nothing, by the path below the workspace."""
    said = chunk.get("generated")
    path = text_of(chunk, "path").removeprefix(workspace_root.rstrip("/") + "/")
    return said if isinstance(said, bool) else is_generated(path)


def _bound(chunk: Chunk, name: str) -> str | None:
    return text_of(chunk, name) or None


def _about(event: Event, chunk: Chunk, as_of: str) -> str:
    """What the ledger keeps of a chunk besides its path: where it is from, and what it was judged by."""
    said = {
        "lines": text_of(chunk, "lines"),
        "score": "" if (score := _score(chunk)) is None else f"{score:.2f}",
        "package": text_of(chunk, "package"),
        "snapshot": text_of(chunk, "snapshot") or text_of(payload_of(event), "snapshot"),
    }
    parts = [f"{name} {head(_one_line(value), 80)}" for name, value in said.items() if value]
    late = expired(_bound(chunk, "valid_from"), _bound(chunk, "valid_until"), as_of)
    return "; ".join([*parts, *([late] if late else [])])


def _one_line(text: str) -> str:
    """Names come from a retriever: they stand on one line and imitate no fence."""
    return isolation.neutralise(" ".join("".join(c if c.isprintable() else " " for c in text).split()))


def _source(event: Event, place: int, chunk: Chunk, number: int, as_of: str, refusal: Reason | None = None) -> Source:
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
        form=Form(text_of(chunk, "text"), detail=_about(event, chunk, as_of)),
        part="trailing",
        title=path,
        events=(event.seq, event.seq),
        fence_label=f"[Source {number}] {head_line}",
        refusal=refusal,
    )


def closing(event_seq: int, excluded: Sequence[tuple[Source, Reason]]) -> Source:
    """The end of the evidence: what was left out and why, and the rule to cite."""
    lines = [f"- {head(_one_line(source.title), 200)}: {sentence(reason)}" for source, reason in excluded[:LISTED]]
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
