"""Decisions of people on memory records. Each names the version and the exact bytes that were on the screen.

No API key, no agent and no proposer ever approves; wide, contradicting and once quarantined records need two people.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contextapp.accounts import permissions
from contextapp.accounts.models import Membership, User
from contextapp.memory import claims, evidence
from contextapp.memory.errors import (
    ApprovalBlocked,
    DecisionIncomplete,
    OwnProposal,
    SecondPersonNeeded,
)
from contextapp.memory.models import (
    MemoryKind,
    MemoryReview,
    MemoryRevision,
    MemoryScope,
    MemoryState,
    ReasonCode,
    RejectionPrint,
)
from contextapp.memory.risk import READ_EVIDENCE, SAY_WHY, WIDTH
from contextapp.memory.services import moving
from contextapp.memory.services.embedding import request_embedding
from contextapp.memory.services.looking import Look, seen
from contextapp.memory.services.wellformed import STATE_TTL

ALONE_WAITS = timedelta(hours=24)
HASTY_MS = 2000


def approve(
    *,
    revision_id: int,
    reviewer: User,
    look: Look,
    note: str = "",
    supersede: int | None = None,
    valid_until: datetime | None = None,
    sure: bool = False,
) -> MemoryRevision:
    """Approved, or approved once when two people are needed. `supersede` names the approved record that this one replaces.

    `sure`: the reviewer was asked once more after a decision under two seconds.
    """
    with transaction.atomic():
        revision, by = seen(revision_id, reviewer, look, (MemoryState.CANDIDATE,))
        if revision.proposed_by == by:
            raise OwnProposal(revision.reference, by)
        if not sure and is_hasty(revision, look):
            raise DecisionIncomplete("sure", _("That took less than two seconds. Read it, then approve again."))
        _check_evidence(revision, look, note)
        _check_lifetime(revision, valid_until)
        replaced = _replaced(revision, supersede)
        review = _review(revision, look, by, "approve", "", note)
        columns: dict[str, Any] = {"decided_by": by, "decided_at": timezone.now(), "reason": note[:500]}
        if valid_until is not None:
            columns["valid_until"] = valid_until
        if revision.needs_two or replaced is not None and replaced.lineage != revision.lineage:
            if not revision.first_approved_by:
                if not note.strip():
                    raise DecisionIncomplete("note", f"{revision.reference} needs two people and, from each, a reason")
                review.verdict = "approve_first"
                first: dict[str, Any] = {
                    "first_approved_by": by,
                    "first_approved_at": timezone.now(),
                    "needs_two": True,
                }
                return moving.change(revision, "first_approval", by=by, version=look.version, review=review, **first)
            columns["is_single_person"] = _second(revision, by, note)
        if replaced is not None:
            moving.move(
                replaced,
                "supersede",
                by=by,
                reason=f"replaced by {revision.reference}",
                decided_by=by,
                decided_at=timezone.now(),
            )
            columns["supersedes"] = replaced
        columns["last_verified_at"] = timezone.now()
        request_embedding(project_id=revision.project_id)
        return moving.move(revision, "approve", by=by, version=look.version, review=review, **columns)


def reject(
    *, revision_id: int, reviewer: User, look: Look, reason_code: str, note: str = "", for_good: bool = True
) -> MemoryRevision:
    """Declined; unless `for_good` is off, the same claim is not taken again."""
    return _decline(revision_id, reviewer, look, "reject", reason_code, note, keeps_print=for_good)


def quarantine(*, revision_id: int, reviewer: User, look: Look, reason_code: str, note: str = "") -> MemoryRevision:
    """Out of every request, also when it was approved, until two people let it back."""
    return _decline(revision_id, reviewer, look, "quarantine", reason_code, note, needs_two=True, risk=3)


def release(*, revision_id: int, reviewer: User, look: Look, note: str) -> MemoryRevision:
    """From quarantine back into the queue, never straight to approved; the approval needs two people then."""
    _say(note, "note", "a release from quarantine needs a reason")
    with transaction.atomic():
        revision, by = seen(revision_id, reviewer, look, (MemoryState.QUARANTINED,))
        if revision.proposed_by == by:
            raise OwnProposal(revision.reference, by)
        review = _review(revision, look, by, "release", "", note)
        columns = {
            "needs_two": True,
            "risk": 3,
            "first_approved_by": "",
            "first_approved_at": None,
            "reason": note[:500],
        }
        return moving.move(revision, "release", by=by, version=look.version, review=review, **columns)


def revoke(*, revision_id: int, reviewer: User, look: Look, reason_code: str, note: str = "") -> MemoryRevision:
    """An approved record counts no more; ledgers that used it keep their reference."""
    return _decline(revision_id, reviewer, look, "revoke", reason_code, note)


def verify(*, revision_id: int, reviewer: User, look: Look, note: str = "") -> MemoryRevision:
    """Somebody checked that it still holds: it is rendered as verified today."""
    with transaction.atomic():
        revision, by = seen(revision_id, reviewer, look, (MemoryState.APPROVED,))
        review = _review(revision, look, by, "verify", "", note)
        return moving.change(
            revision, "verified", by=by, version=look.version, review=review, last_verified_at=timezone.now()
        )


def skip(*, revision_id: int, reviewer: User, look: Look, note: str = "") -> MemoryRevision:
    """A record that somebody looked and left it to others; no vote."""
    with transaction.atomic():
        revision, by = seen(revision_id, reviewer, look, (MemoryState.CANDIDATE, MemoryState.QUARANTINED))
        review = _review(revision, look, by, "skip", "", note)
        return moving.change(
            revision, "skipped", by=by, version=look.version, review=review, claimed_by="", claimed_until=None
        )


def _decline(
    revision_id: int,
    reviewer: User,
    look: Look,
    action: str,
    reason_code: str,
    note: str,
    keeps_print: bool = False,
    **columns: Any,  # columns of the row, each of its own type
) -> MemoryRevision:
    from contextapp.memory.transitions import TRANSITIONS

    if reason_code not in ReasonCode.values:
        message = f"reason {reason_code!r} is unknown; choose one of {', '.join(ReasonCode.values)}"
        raise DecisionIncomplete("reason_code", message)
    if reason_code == ReasonCode.OTHER:
        _say(note, "note", "the reason `other` needs a note")
    with transaction.atomic():
        revision, by = seen(revision_id, reviewer, look, TRANSITIONS[action].before)
        review = _review(revision, look, by, action, reason_code, note)
        if keeps_print:
            made = claims.rejection_print(bytes(revision.project.fence_secret), revision.claim)
            RejectionPrint.objects.get_or_create(project=revision.project, print=made, defaults={"at": timezone.now()})
        columns |= {"decided_by": by, "decided_at": timezone.now(), "reason_code": reason_code, "reason": note[:500]}
        return moving.move(revision, action, by=by, version=look.version, review=review, **columns)


def _check_evidence(revision: MemoryRevision, look: Look, note: str) -> None:
    """The spans are read again now: what was true when it was proposed may be erased since."""
    spans = [evidence.span_of(row) for row in revision.evidence.all()]
    read = evidence.quotes(revision.project_id, spans)
    checks = evidence.check(revision.project_id, revision.claim, read)
    if checks.failed:
        missing = f" ({', '.join(checks.missing)})" if checks.missing else ""
        raise ApprovalBlocked(
            revision.reference, f"its evidence fails the check of {', '.join(checks.failed)}{missing}"
        )
    if not any(quote.text for quote in read):
        _say(note, "note", f"{revision.reference} has no readable evidence; say on whose word it is approved")
    if read and revision.risk >= READ_EVIDENCE and not look.evidence_opened:
        raise DecisionIncomplete("evidence_opened", f"open the evidence of {revision.reference} first")
    if revision.risk >= SAY_WHY:
        _say(
            note, "note", f"{revision.reference} needs a reason: {revision.get_source_trust_display()}, {revision.kind}"
        )
    sessions = {quote.span.session_id for quote in read}
    if read and len(sessions) == 1 and WIDTH[MemoryScope(revision.scope)] >= WIDTH[MemoryScope.USER]:
        _say(
            note,
            "note",
            f"{revision.reference} speaks for {revision.scope} and rests on one session; narrow it or say why",
        )


def is_hasty(revision: MemoryRevision, look: Look) -> bool:
    """An approval that nobody can have thought about, of a record that wants thought."""
    return revision.risk >= READ_EVIDENCE and look.ms_on_screen is not None and look.ms_on_screen < HASTY_MS


def _check_lifetime(revision: MemoryRevision, valid_until: datetime | None) -> None:
    until = valid_until or revision.valid_until
    now = timezone.now()
    if until is not None and until <= now:
        raise ApprovalBlocked(
            revision.reference, f"it expired at {until.isoformat()}; give it a later end or reject it"
        )
    if revision.kind == MemoryKind.STATE and (until is None or until > now + STATE_TTL):
        raise ApprovalBlocked(revision.reference, f"a state holds for at most {STATE_TTL.days} days; give it an end")


def _replaced(revision: MemoryRevision, supersede: int | None) -> MemoryRevision | None:
    """The approved record that goes when this one comes: the lineage's own, the key's holder, or the one that was named."""
    approved = MemoryRevision.objects.select_for_update(no_key=True).filter(
        project_id=revision.project_id, state=MemoryState.APPROVED
    )
    own = approved.filter(lineage=revision.lineage).first()
    if own is not None:
        return own
    holder = None
    if revision.conflict_key:
        place = {"scope": revision.scope, "scope_key": revision.scope_key, "conflict_key": revision.conflict_key}
        holder = approved.filter(**place).first()
    named = approved.filter(pk=supersede).first() if supersede is not None else None
    if supersede is not None and named is None:
        raise DecisionIncomplete(
            "supersede", f"record {supersede} is not approved any more; look again what this one replaces"
        )
    if holder is not None and named != holder:
        message = (
            f"{holder.reference} holds {revision.conflict_key} ({holder.shown[:80]}); supersede it or reject this one"
        )
        raise DecisionIncomplete("supersede", message)
    return named


def _second(revision: MemoryRevision, by: str, note: str) -> bool:
    """Whether the second approval comes from the first person, alone in the project and a day later; raises if it may not."""
    if revision.first_approved_by != by:
        return False
    reviewing = [role for role, actions in permissions.PERMITTED.items() if permissions.REVIEW_MEMORY in actions]
    others = Membership.objects.filter(project_id=revision.project_id, role__in=reviewing, user__is_active=True)
    if others.count() > 1:
        raise SecondPersonNeeded(revision.reference, by)
    first = revision.first_approved_at or timezone.now()
    if timezone.now() < first + ALONE_WAITS:
        raise SecondPersonNeeded(revision.reference, by, first + ALONE_WAITS)
    _say(note, "note", f"{revision.reference}: approving alone needs a reason")
    return True


def _review(revision: MemoryRevision, look: Look, by: str, verdict: str, reason_code: str, note: str) -> MemoryReview:
    return MemoryReview(
        memory=revision,
        version_seen=look.version,
        shown_sha256=look.shown_sha256,
        reviewer=by,
        verdict=verdict,
        reason_code=reason_code,
        note=note[:500],
        ms_on_screen=look.ms_on_screen,
        evidence_opened=look.evidence_opened,
        at=timezone.now(),
    )


def _say(text: str, field: str, message: str) -> None:
    if not text.strip():
        raise DecisionIncomplete(field, message)
