"""Memory that a session may meet. The engine applies every gate; this leaves out what lies in other scopes and, where
there is more than a build can weigh, what the query does not ask for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from contextapp.engine.inputs import MemoryRevision as EngineRevision
from contextapp.eventlog.models import Session
from contextapp.memory.models import MemoryKind, MemoryRevision, MemoryScope, MemoryState, SourceTrust

REVISIONS_LIMIT = 1000  # in one build, beside the constraints
MATCHED_LIMIT = 500  # of those by the query's words; the newest fill up
_CONSIDERED = (MemoryState.APPROVED, MemoryState.CANDIDATE, MemoryState.QUARANTINED, MemoryState.SUSPENDED)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a build looks for: the words of the engine's query, the instant it is built for, and the directories that its
    memory can hold in. None for directories: any."""

    words: tuple[str, ...] = ()
    as_of: datetime | None = None
    directories: tuple[str, ...] | None = None


NOTHING_ASKED = Asked()


def revisions_in_scope(project_id: UUID, session: Session, asked: Asked = NOTHING_ASKED) -> tuple[EngineRevision, ...]:
    """Approved records and, so that a ledger can say why not, candidates and quarantined ones. Capped, except that every
    approved constraint that holds is among them; then come those that share words with the query, then the newest."""
    few = few_in_scope(project_id, session)
    if few is not None:
        return few
    every = _in_scope(project_id, session)
    holding = every.filter(_holds_at(asked), state=MemoryState.APPROVED)
    chosen = {one.pk: one for one in holding.filter(kind=MemoryKind.CONSTRAINT).order_by("-id")}
    most = len(chosen) + REVISIONS_LIMIT
    if asked.words:
        query = " | ".join(map(_quoted, asked.words))
        matching = holding.exclude(kind=MemoryKind.CONSTRAINT).extra(
            where=["memory_memoryrevision.search @@ %s::tsquery"], params=[query]
        )
        near = RawSQL("ts_rank(memory_memoryrevision.search, %s::tsquery)", [query])
        chosen |= {one.pk: one for one in matching.order_by(near.desc(), "-id")[:MATCHED_LIMIT]}
    for newest in (every.filter(state=MemoryState.APPROVED).order_by("-id"), every.order_by("state", "-id")):
        if len(chosen) < most:
            found = newest.exclude(pk__in=list(chosen))[: most - len(chosen)]
            chosen |= {one.pk: one for one in found}
    return tuple(as_engine(revision) for revision in chosen.values())


def few_in_scope(project_id: UUID, session: Session) -> tuple[EngineRevision, ...] | None:
    """All there are, whatever is asked, when they are no more than the limit; else None."""
    # "approved" sorts before "candidate", "quarantined" and "suspended"
    found = list(_in_scope(project_id, session).order_by("state", "-id")[: REVISIONS_LIMIT + 1])
    return None if len(found) > REVISIONS_LIMIT else tuple(as_engine(revision) for revision in found)


def _in_scope(project_id: UUID, session: Session) -> QuerySet[MemoryRevision]:
    root = session.workspace.root if session.workspace else ""
    holds = (
        Q(scope__in=[MemoryScope.GLOBAL, MemoryScope.DIRECTORY])
        | Q(
            scope=MemoryScope.USER, scope_key=session.user or None
        )  # of others nothing is read, not even to leave it out
        | Q(scope=MemoryScope.SESSION, scope_key=str(session.id))
        | Q(scope=MemoryScope.WORKSPACE, scope_key__in=[root, root.rstrip("/"), f"{root}/"])
    )
    return MemoryRevision.objects.filter(holds, project_id=project_id, state__in=_CONSIDERED)


def _holds_at(asked: Asked) -> Q:
    holds = Q()
    if asked.as_of is not None:
        holds &= Q(valid_from=None) | Q(valid_from__lte=asked.as_of)
        holds &= Q(valid_until=None) | Q(valid_until__gt=asked.as_of)
    if asked.directories is not None:
        keys = [f"{key}{end}" for key in asked.directories for end in ("", "/")]
        holds &= ~Q(scope=MemoryScope.DIRECTORY) | Q(scope_key__in=keys)
    return holds


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


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
