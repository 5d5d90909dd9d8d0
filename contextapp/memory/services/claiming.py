"""Who has a record open. A claim is a courtesy with an end; decisions are guarded by versions."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from contextapp.accounts.models import User
from contextapp.memory.errors import ClaimHeld, UnknownRecord
from contextapp.memory.models import MemoryRevision
from contextapp.memory.services.looking import reviewer_name

CLAIM_FOR = timedelta(minutes=6)


def claim(*, revision_id: int, reviewer: User, take_over: bool = False) -> MemoryRevision:
    """Six minutes from now it is theirs; again extends it. ClaimHeld while somebody else has it, unless it is taken over."""
    revision = MemoryRevision.objects.select_related("project").filter(pk=revision_id).first()
    if revision is None:
        raise UnknownRecord(revision_id)
    by = reviewer_name(revision, reviewer)
    now = timezone.now()
    free = Q(claimed_by="") | Q(claimed_by=by) | Q(claimed_until=None) | Q(claimed_until__lt=now)
    asked = MemoryRevision.objects.filter(pk=revision_id)
    if asked.filter(Q() if take_over else free).update(claimed_by=by, claimed_until=now + CLAIM_FOR) != 1:
        revision.refresh_from_db()
        raise ClaimHeld(revision.reference, revision.claimed_by, revision.claimed_until or now)
    revision.refresh_from_db()
    return revision


def let_go(*, revision_id: int, reviewer: User) -> None:
    """Only one's own claim; anybody else's stays."""
    revision = MemoryRevision.objects.select_related("project").filter(pk=revision_id).first()
    if revision is not None:
        by = reviewer_name(revision, reviewer)
        MemoryRevision.objects.filter(pk=revision_id, claimed_by=by).update(claimed_by="", claimed_until=None)
