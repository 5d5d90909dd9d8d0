"""Memory that a session may meet. The engine applies every gate; this only leaves out what lies in other scopes."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from contextapp.engine.inputs import MemoryRevision as EngineRevision
from contextapp.eventlog.models import Session
from contextapp.memory.models import MemoryRevision, MemoryScope, MemoryState, SourceTrust

REVISIONS_LIMIT = 1000
_CONSIDERED = (MemoryState.APPROVED, MemoryState.CANDIDATE, MemoryState.QUARANTINED, MemoryState.SUSPENDED)


def revisions_in_scope(project_id: UUID, session: Session) -> tuple[EngineRevision, ...]:
    """Approved records and, so that a ledger can say why not, candidates and quarantined ones; approved first, capped."""
    root = session.workspace.root if session.workspace else ""
    holds = (
        Q(scope__in=[MemoryScope.GLOBAL, MemoryScope.USER, MemoryScope.DIRECTORY])
        | Q(scope=MemoryScope.SESSION, scope_key=str(session.id))
        | Q(scope=MemoryScope.WORKSPACE, scope_key__in=[root, root.rstrip("/"), f"{root}/"])
    )
    # "approved" sorts before "candidate", "quarantined" and "suspended"
    found = MemoryRevision.objects.filter(holds, project_id=project_id, state__in=_CONSIDERED)
    return tuple(as_engine(revision) for revision in found.order_by("state", "-id")[:REVISIONS_LIMIT])


def revisions_named(project_id: UUID, references: Collection[str]) -> dict[str, EngineRevision]:
    """Revisions by their reference, whatever their state is now: a recorded build names what it was given."""
    found = MemoryRevision.objects.filter(named(references), project_id=project_id)
    return {revision.reference: as_engine(revision) for revision in found if revision.reference in references}


def revision_named(memory_id: int) -> tuple[MemoryRevision, EngineRevision] | None:
    """The row and what the engine gets of it, whatever its state; None when it is not there or was erased."""
    revision = MemoryRevision.objects.filter(pk=memory_id).exclude(state=MemoryState.REDACTED).first()
    return None if revision is None else (revision, as_engine(revision))


def named(references: Collection[str]) -> Q:
    """Rows of the references `mem_<twelve digits of the lineage>@<revision>`, by the index on lineage; none for none."""
    wanted = Q(pk__in=[])
    for reference in references:
        prefix, _, number = reference.removeprefix("mem_").partition("@")
        try:
            first, last = UUID(hex=prefix.ljust(32, "0")), UUID(hex=prefix.ljust(32, "f"))
            wanted |= Q(lineage__range=(first, last), revision=int(number))
        except ValueError:
            continue  # no reference of ours
    return wanted


def as_engine(revision: MemoryRevision) -> EngineRevision:
    return EngineRevision(
        reference=revision.reference,
        state=revision.state,
        kind=revision.kind,
        scope=revision.scope,
        scope_key=revision.scope_key,
        claim=revision.shown,
        source=revision.source,
        confidence=revision.confidence,
        valid_from=_instant(revision.valid_from),
        valid_until=_instant(revision.valid_until),
        last_verified_at=_instant(revision.last_verified_at),
        trust=_trust(revision),
        conflict_key=revision.conflict_key,
    )


def _trust(revision: MemoryRevision) -> str:
    """Text of untrusted lineage becomes a fact only by a person's approval, which then had a reason."""
    is_untrusted = revision.source_trust in (SourceTrust.UNTRUSTED, SourceTrust.TOOL)
    return "untrusted" if is_untrusted and revision.state != MemoryState.APPROVED else "fact"


def _instant(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
