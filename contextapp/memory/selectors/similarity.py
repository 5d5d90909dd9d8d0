"""How near each record lies to what is asked, where a project's installation embeds at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from contextapp.engine.inputs import MemoryRevision as EngineRevision
from contextapp.memory.embedding import configured, of_query, similarity, unpacked
from contextapp.memory.models import MemoryEmbedding, MemoryRevision
from contextapp.memory.selectors.building import named


def with_similarity(project_id: UUID, revisions: Sequence[EngineRevision], text: str) -> tuple[EngineRevision, ...]:
    """The same, each approved one with its similarity where both vectors are to be had; unchanged while embeddings are off."""
    embedder = configured()
    approved = [revision.reference for revision in revisions if revision.state == "approved"]
    if embedder is None or not approved or not text.strip():
        return tuple(revisions)
    asked = of_query(embedder, text)
    if asked is None:
        return tuple(revisions)
    named_rows = MemoryRevision.objects.filter(named(approved), project_id=project_id)
    rows = MemoryEmbedding.objects.filter(model=embedder.name, revision__in=named_rows).select_related("revision")
    near = {row.revision.reference: similarity(asked, unpacked(row.vector)) for row in rows}
    return tuple(replace(revision, similarity=near.get(revision.reference)) for revision in revisions)
