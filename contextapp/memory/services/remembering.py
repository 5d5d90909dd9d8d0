"""Remembers what a client's own id stands for: the same proposal is answered with the same record, another one refused."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid5

import orjson
from django.utils import timezone

from contextapp.accounts.models import Project
from contextapp.memory.errors import CandidateIdTaken
from contextapp.memory.evidence import Span
from contextapp.memory.models import MemoryCandidateId, MemoryRevision


@dataclass(frozen=True, slots=True)
class Proposed:
    """`created`, `repeated` (of a client's own id), `evidence_added` (the claim was live already) or `declined_before`
    (then there is no revision).
    """

    outcome: str
    revision: MemoryRevision | None


@dataclass(frozen=True, slots=True)
class CandidateId:
    """A client's id in its project, with the print of what was proposed under it."""

    id: UUID
    text: str
    given: bytes


def candidate_id(project: Project, text: str, spans: Sequence[Span], **told: object) -> CandidateId:
    """`told`: every field of the proposal that people decide on; instants and numbers as they came."""
    places = [
        (
            str(span.session_id),
            span.seq,
            span.field,
            span.start,
            span.end,
            (span.quote_sha256 or b"").hex(),
            span.relation,
        )
        for span in spans
    ]
    said = orjson.dumps({**told, "evidence": places}, option=orjson.OPT_SORT_KEYS)
    print_of = hmac.new(bytes(project.fence_secret), said, hashlib.sha256).digest()
    return CandidateId(uuid5(project.id, f"candidate:{text}"), text, print_of)


def known(project_id: UUID, own: CandidateId | None) -> Proposed | None:
    """What became of the id before; CandidateIdTaken if it was given for something else."""
    row = None if own is None else MemoryCandidateId.objects.filter(pk=own.id, project_id=project_id).first()
    if own is None or row is None:
        return None
    found = None
    if row.lineage is not None and row.revision is not None:
        place = {"lineage": row.lineage, "revision": row.revision}
        found = MemoryRevision.objects.filter(project_id=project_id, **place).first()
    if bytes(row.given) != own.given:
        raise CandidateIdTaken(own.text, "a declined claim" if found is None else found.reference)
    return Proposed("repeated", found) if row.lineage is not None else Proposed(row.outcome, None)


def remember(project_id: UUID, own: CandidateId | None, made: Proposed) -> Proposed:
    """In the transaction that made it, under the project's lock."""
    if own is not None:
        revision = made.revision
        MemoryCandidateId.objects.create(
            id=own.id,
            project_id=project_id,
            given=own.given,
            outcome=made.outcome,
            lineage=None if revision is None else revision.lineage,
            revision=None if revision is None else revision.revision,
            at=timezone.now(),
        )
    return made
