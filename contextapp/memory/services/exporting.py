"""A project's memory as JSON: each record with its state, where it comes from and who decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from contextapp.memory.columns import COLUMNS, described, described_evidence
from contextapp.memory.models import MemoryRevision, MemoryState

_FOR_US = frozenset({"shown_sha256", "content_key", "claim_key"})


def export_memory(
    *, project_id: UUID, states: tuple[str, ...] = (MemoryState.APPROVED,), kind: str | None = None
) -> Iterator[dict[str, Any]]:
    """One JSON object per revision, in order of lineage; the approved ones unless other states are named."""
    found = MemoryRevision.objects.filter(project_id=project_id, state__in=states).prefetch_related("evidence")
    if kind is not None:
        found = found.filter(kind=kind)
    for revision in found.select_related("supersedes").order_by("lineage", "revision"):
        columns = [name for name in COLUMNS if name not in _FOR_US]
        evidence = [described_evidence(row) for row in revision.evidence.all()]
        yield {"reference": revision.reference, **described(revision, columns), "evidence": evidence}
