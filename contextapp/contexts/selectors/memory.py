"""Memory beside the steps: what a record would have done, at which steps it stood, and why not at others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from contextapp.contexts.models import Counterfactual, Ledger
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.packing import unpack_body
from contextapp.eventlog.models import Session
from contextapp.memory.models import MemoryRevision, MemoryUse

NEWEST = 50


@dataclass(frozen=True, slots=True)
class WouldHave:
    """`entered` are the newest steps, [{"session", "step", "tokens", "displaced"}]. `is_current`: of the record as it is."""

    steps_considered: int
    steps_left_out: int
    steps_entered: int
    tokens: int
    displaced: int
    entered: tuple[dict[str, object], ...]
    kept_out: tuple[tuple[str, int], ...]
    since: datetime
    computed_at: datetime
    is_current: bool


@dataclass(frozen=True, slots=True)
class StepFate:
    """What became of a record at one step; `reason` is a code of the engine."""

    session_id: UUID
    session_title: str
    step: int
    origin: str
    is_included: bool
    reason: str
    detail: str
    tokens: int
    displaced_by: str


def would_have(memory: MemoryRevision) -> WouldHave | None:
    """None: it was not computed yet."""
    found = Counterfactual.objects.filter(memory_id=memory.pk).first()
    if found is None:
        return None
    entered = tuple(found.entered)
    return WouldHave(
        steps_considered=found.steps_considered,
        steps_left_out=found.steps_left_out,
        steps_entered=found.steps_entered,
        tokens=max((entry["tokens"] for entry in entered), default=0),
        displaced=len({name for entry in entered for name in entry["displaced"]}),
        entered=entered,
        kept_out=tuple(sorted(found.kept_out.items(), key=lambda pair: -pair[1])),
        since=found.since,
        computed_at=found.computed_at,
        is_current=found.version == memory.version,
    )


def steps_entered(memory: MemoryRevision, limit: int = NEWEST) -> tuple[tuple[StepFate, ...], int]:
    """The newest steps whose request held the record, and how many there are in all."""
    uses = MemoryUse.objects.filter(memory=memory, is_included=True)
    newest = list(uses.order_by("-at", "-step")[:limit])
    titles = dict(Session.objects.filter(id__in={use.session_id for use in newest}).values_list("id", "title"))
    fates = tuple(
        StepFate(
            use.session_id,
            titles.get(use.session_id, ""),
            use.step,
            use.origin,
            True,
            use.reason,
            use.detail,
            use.tokens,
            "",
        )
        for use in newest
    )
    return fates, uses.count()


def titles_of(session_ids: Collection[object]) -> dict[str, str]:
    found = Session.objects.filter(id__in={str(session_id) for session_id in session_ids}).values_list("id", "title")
    return {str(session_id): title for session_id, title in found}


def steps_kept_out(memory: MemoryRevision, limit: int = NEWEST) -> tuple[StepFate, ...]:
    """Of the newest ledgers that considered the record: those that left it out, and why. Reads at most `limit` ledgers."""
    ledgers = Ledger.objects.filter(
        session__project_id=memory.project_id, session__erased_at=None, origin__in=[Origin.BUILT, Origin.SIMULATED]
    )
    if memory.scope == "session":
        ledgers = ledgers.filter(session_id=memory.scope_key)
    elif memory.scope == "workspace":
        ledgers = ledgers.filter(session__workspace__root__in=[memory.scope_key, f"{memory.scope_key}/"])
    fates = []
    for ledger in ledgers.select_related("body", "session").order_by("-id")[:limit]:
        for row in unpack_body(ledger.body.rows).ledger.excluded:
            if row.source_id == memory.reference:
                fates.append(
                    StepFate(
                        ledger.session_id, ledger.session.title, ledger.step_number, ledger.origin, False, row.reason,
                        row.detail, row.before_tokens, row.displaced_by,
                    )
                )  # fmt: skip
    return tuple(fates)
