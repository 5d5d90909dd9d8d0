"""Decisions on several records at once: an explicit list of (record, version), each with a result of its own.

Nothing is approved together that does not belong together: one source or one claim, clean, and one of them opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from contextapp.accounts.models import User
from contextapp.accounts.services import actor_name
from contextapp.memory.errors import BadProposal, MemoryRefused
from contextapp.memory.models import MemoryRevision
from contextapp.memory.risk import READ_EVIDENCE
from contextapp.memory.services.deciding import approve, quarantine, reject, skip
from contextapp.memory.services.looking import Look

MOST = 50
ACTIONS = ("approve", "reject", "quarantine", "skip")


@dataclass(frozen=True, slots=True)
class Chosen:
    record_id: int
    version: int


@dataclass(frozen=True, slots=True)
class Result:
    reference: str
    is_done: bool
    message: str


def chosen_from(given: Sequence[str]) -> list[Chosen]:
    """Boxes of a form: `id:version`."""
    made = []
    for entry in given:
        record_id, _colon, version = entry.partition(":")
        if not (record_id.isascii() and record_id.isdecimal() and version.isascii() and version.isdecimal()):
            raise BadProposal("record", f"{entry[:40]!r} names no record and version; reload the page")
        made.append(Chosen(int(record_id), int(version)))
    return made


def decide_many(
    *, project_id: UUID, reviewer: User, action: str, chosen: Sequence[Chosen], reason_code: str = "", note: str = ""
) -> list[Result]:
    """One result per record, in the given order. A record that changed since is left as it is and says so."""
    if action not in ACTIONS:
        raise BadProposal("action", f"{action!r} can't be done to several records; choose one of {', '.join(ACTIONS)}")
    if not 0 < len(chosen) <= MOST:
        raise BadProposal("record", f"{len(chosen)} records are chosen; choose 1 to {MOST}")
    ids = [one.record_id for one in chosen]
    found = {revision.pk: revision for revision in MemoryRevision.objects.filter(project_id=project_id, pk__in=ids)}
    if action == "approve":
        _check_together([found[pk] for pk in ids if pk in found], reviewer)
    return [_decide(found.get(one.record_id), one, reviewer, action, reason_code, note) for one in chosen]


def _decide(
    revision: MemoryRevision | None, chosen: Chosen, reviewer: User, action: str, reason_code: str, note: str
) -> Result:
    if revision is None:
        return Result(str(chosen.record_id), False, _("no such record in this project"))
    look = Look(chosen.version, bytes(revision.shown_sha256), None, action == "approve")
    common: dict[str, Any] = {"revision_id": revision.pk, "reviewer": reviewer, "look": look}
    try:
        if action == "approve":
            done = approve(**common, note=note)
        elif action == "skip":
            done = skip(**common, note=note)
        else:
            decline = reject if action == "reject" else quarantine
            done = decline(**common, reason_code=reason_code, note=note)
    except MemoryRefused as refused:
        return Result(revision.reference, False, str(refused))
    return Result(revision.reference, True, str(done.get_state_display()))


def _check_together(revisions: Sequence[MemoryRevision], reviewer: User) -> None:
    """Refuse the approval of what nobody could judge by looking at one of it."""
    risky = [
        revision.reference for revision in revisions if revision.risk > READ_EVIDENCE or revision.verdict != "clean"
    ]
    if risky:
        raise BadProposal("record", f"{', '.join(risky[:5])} want a look of their own; approve the plain ones together")
    sources = {revision.proposed_session for revision in revisions}
    claims = {bytes(revision.claim_key) for revision in revisions}
    if len(sources) > 1 and len(claims) > 1:
        raise BadProposal(
            "record",
            "these come from several sources and say several things; approve one source or one claim at a time",
        )
    opened = {revision.claimed_by for revision in revisions}
    if actor_name(reviewer) not in opened and len(revisions) > 1:
        raise BadProposal("record", "open one of them first, then approve the others like it")
