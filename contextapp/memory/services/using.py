"""Remembers at which steps a record stood in a request. Called by `contexts` with each ledger it stores; decides nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from contextapp.memory.models import MemoryRevision, MemoryUse
from contextapp.memory.selectors import named


@dataclass(frozen=True, slots=True)
class Use:
    """One row of a ledger whose source is a memory revision and which is in the request."""

    reference: str
    step: int
    reason: str
    detail: str
    tokens: int


def record_uses(
    *, project_id: UUID, session_id: UUID, origin: str, steps: Collection[int], uses: Sequence[Use]
) -> None:
    """Replace what was known of these steps: the ledger of a step is stored once per origin, the newest counts."""
    MemoryUse.objects.filter(session_id=session_id, origin=origin, step__in=steps).delete()
    ids = ids_of(project_id, {use.reference for use in uses})
    now = timezone.now()
    MemoryUse.objects.bulk_create(
        [
            MemoryUse(
                memory_id=ids[use.reference],
                session_id=session_id,
                step=use.step,
                origin=origin,
                is_included=True,
                reason=use.reason[:40],
                detail=use.detail[:300],
                tokens=use.tokens,
                at=now,
            )
            for use in uses
            if use.reference in ids
        ],
        ignore_conflicts=True,
    )


def ids_of(project_id: UUID, references: Collection[str]) -> dict[str, int]:
    """Rows by reference; unknown ones are left out."""
    if not references:
        return {}
    revisions = MemoryRevision.objects.filter(named(references), project_id=project_id)
    return {revision.reference: revision.pk for revision in revisions if revision.reference in references}
