"""Records of a project as JSON for whoever reads them from outside: pages of them, and one with its whole history."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from contextapp.memory.columns import COLUMNS, described, described_evidence, described_review
from contextapp.memory.models import MemoryRevision

_INNER = frozenset({"content_key", "claim_key"})
MOST_USES = 200
Json = dict[str, Any]  # JSON values


def record_as_json(revision: MemoryRevision) -> Json:
    columns = [name for name in COLUMNS if name not in _INNER]
    return {"id": revision.pk, "reference": revision.reference, **described(revision, columns)}


def list_records(
    project_id: UUID, *, before: int | None, limit: int, source: str = "", **exactly: str | None
) -> tuple[list[Json], int | None]:
    """Newest first, and the id before which the next page starts. `exactly`: state, kind, scope; `source` is a part of it."""
    found = MemoryRevision.objects.filter(project_id=project_id).select_related("supersedes").order_by("-id")
    found = found.filter(**{name: value for name, value in exactly.items() if value})
    if source:
        found = found.filter(source__icontains=source)
    if before is not None:
        found = found.filter(pk__lt=before)
    rows = list(found[: limit + 1])
    return [record_as_json(row) for row in rows[:limit]], rows[limit - 1].pk if len(rows) > limit else None


def record_with_history(revision: MemoryRevision) -> Json:
    lineage = MemoryRevision.objects.filter(project_id=revision.project_id, lineage=revision.lineage)
    # What the first of two reviewers said stays theirs until the second has voted.
    reviews = [described_review(row) for row in revision.reviews.order_by("id")]
    if revision.first_approved_by and revision.state == "candidate":
        reviews = [row | {"note": ""} if row["verdict"] == "approve_first" else row for row in reviews]
    names = ("session_id", "step", "origin", "is_included", "reason", "detail", "tokens", "displaced_by", "at")
    return {
        "record": record_as_json(revision),
        "revisions": [record_as_json(row) for row in lineage.select_related("supersedes").order_by("-revision")],
        "evidence": [described_evidence(row) for row in revision.evidence.order_by("added_at", "id")],
        "transitions": reviews,
        "uses": list(revision.uses.order_by("-at").values(*names)[:MOST_USES]),
    }
