"""The one way a revision's row changes: a conditional update, an event of the governance stream, an audit entry, together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from contextapp.accounts.services import record
from contextapp.memory.columns import described, described_evidence, described_review
from contextapp.memory.errors import AlreadyDecided, Stale
from contextapp.memory.models import MemoryEvidence, MemoryReview, MemoryRevision, MemoryState
from contextapp.memory.services.governance import tell
from contextapp.memory.transitions import CHANGES, PROPOSED, TRANSITIONS


def move(
    revision: MemoryRevision,
    action: str,
    *,
    by: str,
    version: int | None = None,
    review: MemoryReview | None = None,
    **columns: Any,  # columns of the row, each of its own type
) -> MemoryRevision:
    """One of TRANSITIONS. Of two who try, one wins: the update asks for state and version, and the other is told."""
    transition = TRANSITIONS[action]
    return _change(
        revision, transition.event, by, transition.before, version, review, state=transition.after, **columns
    )


def change(
    revision: MemoryRevision,
    fact: str,
    *,
    by: str,
    version: int | None = None,
    review: MemoryReview | None = None,
    evidence: Iterable[MemoryEvidence] = (),
    **columns: Any,  # columns of the row, each of its own type
) -> MemoryRevision:
    """One of CHANGES: the state stays."""
    return _change(revision, CHANGES[fact], by, MemoryState.values, version, review, evidence=evidence, **columns)


def create(revision: MemoryRevision, *, by: str, evidence: Iterable[MemoryEvidence]) -> MemoryRevision:
    """Insert a proposed revision with its evidence; the event holds all of it."""
    spans = list(evidence)
    with transaction.atomic():
        revision.save(force_insert=True)
        for span in spans:
            span.memory = revision
        MemoryEvidence.objects.bulk_create(spans)
        payload = {"columns": described(revision), "evidence": [described_evidence(span) for span in spans]}
        revision.governance_seq = tell(project_id=revision.project_id, type=PROPOSED, actor=by, payload=payload)
        MemoryRevision.objects.filter(pk=revision.pk).update(governance_seq=revision.governance_seq)
        _audit(revision, PROPOSED, by, None)
    return revision


def _change(
    revision: MemoryRevision,
    event: str,
    by: str,
    needed: Iterable[str],
    version: int | None,
    review: MemoryReview | None,
    *,
    evidence: Iterable[MemoryEvidence] = (),
    **columns: Any,  # columns of the row, each of its own type
) -> MemoryRevision:
    needed = list(needed)
    before = {"state": revision.state, "version": revision.version}
    columns["changed_at"] = timezone.now()
    asked = MemoryRevision.objects.filter(pk=revision.pk, state__in=needed)
    if version is not None:
        asked = asked.filter(version=version)
    with transaction.atomic():
        if asked.update(version=F("version") + 1, **columns) != 1:
            revision.refresh_from_db()
            if version is not None and revision.version != version:
                raise Stale(revision, version)
            raise AlreadyDecided(revision.reference, revision.state, " or ".join(needed))
        revision.refresh_from_db()
        spans = list(evidence)
        for span in spans:
            span.memory = revision
        MemoryEvidence.objects.bulk_create(spans, ignore_conflicts=True)
        if review is not None:
            review.memory = revision
            review.save(force_insert=True)
        payload: dict[str, Any] = {  # the event's JSON
            "lineage": str(revision.lineage),
            "revision": revision.revision,
            "columns": described(revision, ["version", *columns]),
        }
        if spans:
            payload["evidence"] = [described_evidence(span) for span in spans]
        if review is not None:
            payload["review"] = described_review(review)
        tell(project_id=revision.project_id, type=event, actor=by, payload=payload)
        _audit(revision, event, by, before)
    return revision


def _audit(revision: MemoryRevision, event: str, by: str, before: dict[str, Any] | None) -> None:  # JSON
    record(
        project=revision.project,
        actor=by,
        action=event,
        target=f"memory:{revision.reference}",
        before=before,
        after={"state": revision.state, "version": revision.version, "reason": revision.reason},
    )
