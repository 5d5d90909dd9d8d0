"""New revisions of a record: another wording, a narrower scope. The old one stays as it was and points to what replaced it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from contextapp.accounts.models import User
from contextapp.memory.errors import BadProposal
from contextapp.memory.evidence import span_of
from contextapp.memory.models import MemoryRevision, MemoryScope, MemoryState, ProposerKind
from contextapp.memory.risk import WIDTH
from contextapp.memory.services import moving
from contextapp.memory.services.looking import Look, seen
from contextapp.memory.services.proposing import propose

_OPEN = (MemoryState.CANDIDATE, MemoryState.QUARANTINED, MemoryState.APPROVED, MemoryState.SUSPENDED)


def reword(*, revision_id: int, reviewer: User, look: Look, claim: str, note: str = "") -> MemoryRevision:
    """The next revision, back in the queue for another reviewer: who words a claim does not approve it. An approved one stays
    in force until the new one is approved."""
    return _again(revision_id, reviewer, look, note, claim=claim)


def narrow(
    *, revision_id: int, reviewer: User, look: Look, scope: str, scope_key: str, note: str = ""
) -> MemoryRevision:
    """The same claim for less. It stays the proposal of who proposed it, so the one who narrows it may approve it."""
    return _again(revision_id, reviewer, look, note, scope=scope, scope_key=scope_key)


def _again(
    revision_id: int, reviewer: User, look: Look, note: str, **changes: Any
) -> MemoryRevision:  # fields of the proposal
    with transaction.atomic():
        old, by = seen(revision_id, reviewer, look, _OPEN)
        if "scope" in changes and WIDTH.get(MemoryScope(changes["scope"]), 9) >= WIDTH[MemoryScope(old.scope)]:
            raise BadProposal(
                "scope", f"{changes['scope']} is not narrower than {old.scope}; propose it anew to widen it"
            )
        if "claim" in changes and changes["claim"].strip() == old.claim.strip():
            raise BadProposal("claim", f"{old.reference} says just that already")
        is_worded = "claim" in changes
        if old.state != MemoryState.APPROVED:
            moving.move(
                old,
                "supersede" if old.state in (MemoryState.CANDIDATE, MemoryState.SUSPENDED) else "reject",
                by=by,
                version=look.version,
                decided_by=by,
                decided_at=timezone.now(),
                reason=note[:500] or ("reworded" if is_worded else "narrowed"),
            )
        given = {
            "claim": old.claim, "scope": old.scope, "scope_key": old.scope_key, "kind": old.kind, "source": old.source,
            "basis": old.confidence_basis, "conflict_key": old.conflict_key, "value": old.value,
            "valid_from": old.valid_from, "valid_until": old.valid_until, "source_trust": old.source_trust,
            "proposer_model": old.proposer_model, "prompt_version": old.prompt_version,
            "proposed_session": old.proposed_session, "proposed_seq": old.proposed_seq,
        }  # fmt: skip
        spans = [span_of(row) for row in old.evidence.all()]
        made = propose(
            project=old.project,
            spans=spans,
            lineage=old.lineage,
            proposed_by=by if is_worded else old.proposed_by,
            proposer_kind=ProposerKind.PERSON if is_worded else old.proposer_kind,
            **{**given, **changes},
        )
        if made.revision is None:
            raise BadProposal("claim", "people declined this wording before")
        return made.revision
