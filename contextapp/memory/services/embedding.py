"""Embeds approved records in the background, those that the configured model has not seen yet."""

from __future__ import annotations

from uuid import UUID

from contextapp.jobs.handle import JobHandle
from contextapp.jobs.services import enqueue
from contextapp.memory.embedding import BATCH, JOB_TIMEOUT_S, configured, packed
from contextapp.memory.models import MemoryEmbedding, MemoryRevision, MemoryState

EMBED = "memory.embed"


class EmbeddingFailed(RuntimeError):
    """The endpoint gave no vectors; the job is tried again."""


def request_embedding(*, project_id: UUID) -> None:
    """Nothing where no model is configured."""
    if configured() is not None:
        enqueue(
            kind=EMBED, key=str(project_id), payload={"project": str(project_id)}, project_id=project_id, again=True
        )


def embed_job(job: JobHandle) -> None:
    embed_records(project_id=UUID(job.payload["project"]))


def embed_records(*, project_id: UUID) -> int:
    """How many were embedded."""
    embedder = configured()
    if embedder is None:
        return 0
    wanted = MemoryRevision.objects.filter(project_id=project_id, state=MemoryState.APPROVED)
    done = 0
    while rows := list(
        wanted.exclude(embedding__model=embedder.name).order_by("pk").values_list("pk", "shown")[:BATCH]
    ):
        vectors = embedder.embed([shown for _pk, shown in rows], timeout_s=JOB_TIMEOUT_S)
        if vectors is None:
            raise EmbeddingFailed(f"{embedder.model} gave no vectors for {len(rows)} records")
        for (pk, _shown), vector in zip(rows, vectors, strict=True):
            made = {"model": embedder.name, "vector": packed(vector)}
            MemoryEmbedding.objects.update_or_create(revision_id=pk, defaults=made)
        done += len(rows)
    return done
