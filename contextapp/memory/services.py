"""Moves memory through its states. Every move is one transaction with its audit entry; a claim is never edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from contextapp.accounts.models import Project
from contextapp.accounts.services import record
from contextapp.eventlog.masking.payloads import mask_text
from contextapp.eventlog.masking.projects import rules_for
from contextapp.memory.errors import AlreadyDecided, OwnProposal
from contextapp.memory.models import MemoryKind, MemoryRevision, MemoryScope, MemoryState

_KEYLESS = MemoryScope.GLOBAL


def propose(
    *,
    project: Project,
    claim: str,
    kind: str,
    scope: str,
    proposed_by: str,
    source: str,
    scope_key: str = "",
    evidence: Sequence[Mapping[str, Any]] = (),
    confidence: float = 1.0,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    lineage: UUID | None = None,
) -> MemoryRevision:
    """A candidate; with a lineage, the next revision of that record. Any: evidence is JSON, [{"session", "seq"}]."""
    _check(claim, kind, scope, scope_key, confidence)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(id=project.id)  # revisions of a lineage count without gap
        revision = MemoryRevision.objects.create(
            project=project,
            lineage=lineage or uuid4(),
            revision=_next_revision(project, lineage),
            kind=kind,
            scope=scope,
            scope_key=scope_key,
            claim=mask_text(claim, rules_for(project.id).scanner),
            source=source[:300],
            evidence=[dict(span) for span in evidence],
            confidence=confidence,
            proposed_by=proposed_by,
            valid_from=valid_from,
            valid_until=valid_until,
        )
        _record(revision, "memory.proposed", proposed_by, None, "")
    return revision


def approve(*, revision_id: int, by: str, reason: str = "") -> MemoryRevision:
    """The candidate counts from now on, and the revision it replaces is superseded. The proposer can't approve."""
    with transaction.atomic():
        revision = MemoryRevision.objects.select_for_update().get(id=revision_id)
        if revision.proposed_by == by:
            raise OwnProposal(revision.reference, by)
        for replaced in MemoryRevision.objects.filter(lineage=revision.lineage, state=MemoryState.APPROVED):
            _move(replaced, (MemoryState.APPROVED,), MemoryState.SUPERSEDED, by, f"replaced by {revision.reference}")
        needed = (MemoryState.CANDIDATE, MemoryState.QUARANTINED)
        return _move(revision, needed, MemoryState.APPROVED, by, reason, last_verified_at=timezone.now())


def reject(*, revision_id: int, by: str, reason: str) -> MemoryRevision:
    return _decide(revision_id, (MemoryState.CANDIDATE, MemoryState.QUARANTINED), MemoryState.REJECTED, by, reason)


def quarantine(*, revision_id: int, by: str, reason: str) -> MemoryRevision:
    """Out of every request until a reviewer decides; for a claim that looks like an injection or is contradicted."""
    return _decide(revision_id, (MemoryState.CANDIDATE, MemoryState.APPROVED), MemoryState.QUARANTINED, by, reason)


def withdraw(*, revision_id: int, by: str, reason: str) -> MemoryRevision:
    """An approved record counts no more; ledgers that used it keep their reference."""
    return _decide(revision_id, (MemoryState.APPROVED,), MemoryState.WITHDRAWN, by, reason)


def purge_session(session_id: UUID, first_seq: int = 1, last_seq: int | None = None) -> None:
    """What erasure removes here: candidates proposed from the session, and memory scoped to it. Called by erasure."""
    own = MemoryRevision.objects.filter(scope=MemoryScope.SESSION, scope_key=str(session_id))
    drawn = MemoryRevision.objects.filter(evidence__contains=[{"session": str(session_id)}])
    undecided = drawn.filter(state__in=[MemoryState.CANDIDATE, MemoryState.QUARANTINED, MemoryState.REJECTED])
    if last_seq is not None:
        own = own.none()
        places = [{"session": str(session_id), "seq": seq} for seq in range(first_seq, last_seq + 1)]
        undecided = undecided.filter(reduce(or_, (Q(evidence__contains=[place]) for place in places)))
    for revision in (own | undecided).distinct():
        _record(revision, "memory.erased", "system", {"state": revision.state}, "its session was erased")
        revision.delete()


def _decide(revision_id: int, needed: Sequence[str], state: str, by: str, reason: str) -> MemoryRevision:
    if not reason.strip():
        raise ValueError(f"a reason is needed to make a memory record {state}")
    with transaction.atomic():
        return _move(MemoryRevision.objects.get(id=revision_id), needed, state, by, reason)


def _move(
    revision: MemoryRevision,
    needed: Sequence[str],
    state: str,
    by: str,
    reason: str,
    last_verified_at: datetime | None = None,
) -> MemoryRevision:
    """The conditional update that lets one of two reviewers win; the other is told."""
    before = revision.state
    changes: dict[str, Any] = {  # Any: the columns of the row, each of its own type
        "state": state,
        "decided_by": by,
        "decided_at": timezone.now(),
        "reason": reason[:500],
    }
    if last_verified_at is not None:
        changes["last_verified_at"] = last_verified_at
    if MemoryRevision.objects.filter(id=revision.pk, state__in=needed).update(**changes) != 1:
        revision.refresh_from_db()
        raise AlreadyDecided(revision.reference, revision.state, " or ".join(needed))
    revision.refresh_from_db()
    _record(revision, f"memory.{state}", by, {"state": before}, reason)
    return revision


def _record(revision: MemoryRevision, action: str, by: str, before: Any, reason: str) -> None:  # Any: JSON
    record(
        project=revision.project,
        actor=by,
        action=action,
        target=f"memory:{revision.reference}",
        before=before,
        after={"state": revision.state, "reason": reason},
    )


def _check(claim: str, kind: str, scope: str, scope_key: str, confidence: float) -> None:
    if not claim.strip() or "\0" in claim:
        raise ValueError("a memory record needs a claim, without NUL")
    if kind not in MemoryKind.values:
        raise ValueError(f"memory kind {kind!r} is unknown; choose one of {', '.join(MemoryKind.values)}")
    if scope not in MemoryScope.values:
        raise ValueError(f"memory scope {scope!r} is unknown; choose one of {', '.join(MemoryScope.values)}")
    if scope != _KEYLESS and not scope_key:
        raise ValueError(f"scope {scope} needs a key: the session, directory, workspace root or user it holds for")
    if not 0 <= confidence <= 1:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")


def _next_revision(project: Project, lineage: UUID | None) -> int:
    if lineage is None:
        return 1
    last = MemoryRevision.objects.filter(project=project, lineage=lineage).aggregate(last=Max("revision"))["last"]
    if last is None:
        raise ValueError(f"no memory record {lineage} in this project")
    return int(last) + 1
