"""Takes back one's own last decision, for ten minutes and while no model has got the record."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from contextapp.accounts.models import User
from contextapp.memory import claims
from contextapp.memory.errors import UndoTooLate
from contextapp.memory.models import MemoryReview, MemoryRevision, MemoryState, RejectionPrint
from contextapp.memory.services import moving
from contextapp.memory.services.looking import locked
from contextapp.memory.transitions import INVERSE, UNDO_FOR


def undo(*, revision_id: int, reviewer: User) -> MemoryRevision:
    """The record is a candidate again, and what the approval replaced is in force again."""
    with transaction.atomic():
        revision, by = locked(revision_id, reviewer)
        last = MemoryReview.objects.filter(memory=revision).exclude(verdict="skip").order_by("-id").first()
        if last is None or last.verdict not in (*INVERSE, "approve_first"):
            raise UndoTooLate(revision.reference, "there is no decision")
        if last.reviewer != by:
            raise UndoTooLate(revision.reference, f"it was {last.reviewer}'s")
        if timezone.now() > last.at + UNDO_FOR:
            raise UndoTooLate(revision.reference, f"{UNDO_FOR.seconds // 60} minutes have passed")
        if revision.uses.filter(is_included=True, at__gte=last.at).exists():
            raise UndoTooLate(revision.reference, "a model has got it since")
        review = MemoryReview(
            memory=revision, version_seen=revision.version, shown_sha256=bytes(revision.shown_sha256), reviewer=by,
            verdict="undo", at=timezone.now(),
        )  # fmt: skip
        if last.verdict == "approve_first":
            first: dict[str, Any] = {"first_approved_by": "", "first_approved_at": None}
            return moving.change(revision, "skipped", by=by, review=review, **first)
        if last.verdict == "reject":
            made = claims.rejection_print(bytes(revision.project.fence_secret), revision.claim)
            RejectionPrint.objects.filter(project=revision.project, print=made, at__gte=last.at).delete()
        replaced = revision.supersedes
        undone = moving.move(
            revision, INVERSE[last.verdict], by=by, review=review, decided_by="", decided_at=None, reason="", reason_code="",
            last_verified_at=None, supersedes=None, is_single_person=False,
        )  # fmt: skip
        if replaced is not None and replaced.state == MemoryState.SUPERSEDED:
            moving.move(replaced, "undo_supersede", by=by, reason="")
        return undone
