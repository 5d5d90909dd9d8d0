"""Tables of governed memory. Each is a projection of the governance stream and can be built again from it (rebuilding.py)."""

from __future__ import annotations

from contextapp.memory.models.candidate_ids import MemoryCandidateId
from contextapp.memory.models.choices import (
    Basis,
    MemoryKind,
    MemoryScope,
    MemoryState,
    ProposerKind,
    ReasonCode,
    Relation,
    SourceTrust,
)
from contextapp.memory.models.embeddings import MemoryEmbedding
from contextapp.memory.models.evidence import MemoryEvidence
from contextapp.memory.models.gathered import MemoryGathered
from contextapp.memory.models.reviews import KnownAnswer, MemoryReview, RejectionPrint
from contextapp.memory.models.revisions import MemoryRevision
from contextapp.memory.models.uses import MemoryUse

__all__ = [
    "Basis",
    "KnownAnswer",
    "MemoryEmbedding",
    "MemoryCandidateId",
    "MemoryEvidence",
    "MemoryGathered",
    "MemoryKind",
    "MemoryReview",
    "MemoryRevision",
    "MemoryScope",
    "MemoryState",
    "MemoryUse",
    "ProposerKind",
    "ReasonCode",
    "RejectionPrint",
    "Relation",
    "SourceTrust",
]
