"""The safety policy and the instruction files in force, weakest first, and where they contradict each other. Reads no disk:
files arrive as events. Nothing a file says removes or overrules what stands above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contextapp.engine.inputs import BuildInputs
from contextapp.engine.observations.text import clean, number
from contextapp.engine.policy import Policy
from contextapp.engine.projection.instructions import front_of
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.instructions.conflicts import MOST_SHOWN, Conflict, conflicts_of, shown
from contextapp.engine.sources.instructions.files import File, file_of
from contextapp.engine.sources.instructions.gates import WARNINGS, Refusal, refusals
from contextapp.engine.sources.instructions.shortened import shortened
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.source import RANK_INSTRUCTIONS, RANK_SAFETY, Form, Source
from contextapp.engine.values import Action, Bucket, Mode, Trust

CONFLICTS = "instruction:conflicts"
_OUT_OF_FORCE = (Reason.NOT_PERMITTED, Reason.NOT_RELEVANT, Reason.SUPERSEDED, Reason.ERASED)


def collect(inputs: BuildInputs, policy: Policy) -> tuple[Source, ...]:
    """The safety policy, every instruction from weak to strong, and last the contradictions among those in force."""
    files = _files(inputs)
    refused = refusals(files, inputs, policy)
    found = conflicts_of([file for file in files if file.event.seq not in refused])
    sources = [_source(file, policy, refused.get(file.event.seq), found) for file in files]
    conflicts = [_conflicts(found)] if found else []
    lost = [_lost(inputs.state.instructions_lost)] if inputs.state.instructions_lost else []
    return (_safety(policy), *sources, *conflicts, *lost)


def out_of_force(inputs: BuildInputs, policy: Policy) -> Mapping[int, Reason]:
    """Instruction events that bind nobody in this build, and why: their constraints are none either."""
    refused = refusals(_files(inputs), inputs, policy)
    return {seq: refusal.reason for seq, refusal in refused.items() if refusal.reason in _OUT_OF_FORCE}


def _files(inputs: BuildInputs) -> list[File]:
    events = named_events(inputs, inputs.state.instruction_seqs)
    return sorted((file_of(event, inputs) for event in events), key=lambda file: file.strength)


def _safety(policy: Policy) -> Source:
    return Source(
        id="safety:policy",
        kind="safety",
        bucket=Bucket.INSTRUCTIONS,
        rank=RANK_SAFETY,
        trust=Trust.TRUSTED,
        reason=Reason.SAFETY_POLICY,
        form=Form(clean(policy.safety_text)),
        role="system",
        part="safety",
        title="safety",
        pinned=True,
        compressible=False,
        refusal=None if policy.safety_text.strip() else Reason.EMPTY,
    )


def _source(file: File, policy: Policy, refusal: Refusal | None, conflicts: Sequence[Conflict]) -> Source:
    return Source(
        id=file.id,
        kind="safety" if file.is_safety else "instruction",
        bucket=Bucket.INSTRUCTIONS,
        rank=RANK_SAFETY if file.is_safety else RANK_INSTRUCTIONS,
        trust=file.trust,
        reason=Reason.SAFETY_POLICY if file.is_safety else Reason.INSTRUCTION,
        form=_form(file, policy.limits.instruction_file_chars, conflicts),
        role="system",
        part="safety" if file.is_safety else "instructions",
        title=file.title,
        events=(file.event.seq, file.event.seq),
        pinned=True,
        compressible=False,
        whole=file.text,
        refusal=refusal.reason if refusal else None,
        displaced_by=refusal.displaced_by if refusal else "",
    )


def _form(file: File, limit: int, conflicts: Sequence[Conflict]) -> Form:
    """The whole file below its heading, or its excerpt; the detail holds everything a reader of the row must know."""
    notes = [f"warning: {file.warning}"] if file.warning else []
    if front_error := front_of(file.text)[1]:
        notes.append(f"front matter passed on unread: {front_error}")
    notes += [conflict.detail_for(file) for conflict in conflicts if any(said.file == file for said in conflict.said)]
    if len(file.text) <= limit:
        return Form(f"{file.heading}\n{file.text}", reason=WARNINGS.get(file.warning), detail="; ".join(notes))
    cut = shortened(file.text, limit)
    size = f"{number(cut.shown_chars)} of {number(len(file.text))} characters shown; lines with rules were kept"
    return Form(
        f"{file.heading}\n{cut.text}\n[{size}]",
        Mode.EXCERPT,
        Action.TRUNCATE,
        Reason.INSTRUCTION_FILE_LIMIT,
        detail="; ".join([size, *cut.alarms, *notes]),
    )


def _conflicts(found: Sequence[Conflict]) -> Source:
    topics = ", ".join(conflict.topic for conflict in found[:MOST_SHOWN])
    return Source(
        id=CONFLICTS,
        kind="instruction",
        bucket=Bucket.INSTRUCTIONS,
        rank=RANK_INSTRUCTIONS,
        trust=Trust.TRUSTED,
        reason=Reason.INSTRUCTION_CONFLICT,
        form=Form(shown(found), detail=f"{number(len(found))} conflicts: {topics}"),
        role="system",
        part="instructions",
        title="conflicts",
        pinned=True,
        compressible=False,
    )


def _lost(count: int) -> Source:
    """Files beyond what a state can name: nobody reads them again, but nobody may overlook it."""
    return Source(
        id="instruction:lost",
        kind="instruction",
        bucket=Bucket.INSTRUCTIONS,
        rank=RANK_INSTRUCTIONS,
        trust=Trust.TRUSTED,
        reason=Reason.INSTRUCTION,
        form=Form("", detail=f"{number(count)} files of the weakest levels, the oldest of each"),
        role="system",
        title="lost",
        refusal=Reason.OVER_MAXIMUM,
    )
