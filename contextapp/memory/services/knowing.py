"""Known-answer items: when one is shown, and the vote on it. A sandbox: nothing here touches a memory record or the log."""

from __future__ import annotations

from hashlib import sha256
from uuid import NAMESPACE_OID, UUID, uuid5

from django.db import transaction
from django.utils import timezone

from contextapp.accounts import permissions
from contextapp.accounts.models import Membership, Project, User
from contextapp.accounts.services import actor_name
from contextapp.memory import known_answers
from contextapp.memory.errors import AlreadyDecided, DecisionIncomplete, UnknownRecord
from contextapp.memory.models import KnownAnswer, MemoryReview, MemoryRevision, MemoryState, ProposerKind, SourceTrust
from contextapp.memory.presenting import as_model_gets_it
from contextapp.memory.risk import assess
from contextapp.memory.scanning import scan
from contextapp.memory.selectors.records import RecordPage, page_of_nothing

ANSWERS = {"reject": True, "quarantine": True, "approve": False, "release": False, "skip": None}


def due_known_answer(*, project: Project, reviewer: User) -> KnownAnswer | None:
    """A new one, or the one not voted on, if the reviewer's next look is at one. Off below three reviewers."""
    by = actor_name(reviewer)
    looks = MemoryReview.objects.filter(memory__project=project, reviewer=by)
    if not known_answers.is_due(str(project.pk), by, looks.count()):
        return None
    if _reviewers(project) < known_answers.REVIEWERS:
        return None
    own = KnownAnswer.objects.filter(project=project, reviewer=by)
    latest, last_look = own.order_by("-shown_at").first(), looks.order_by("-at").first()
    if latest is not None and latest.voted_at is None:
        return latest
    if latest is not None and (last_look is None or latest.shown_at >= last_look.at):
        return None  # that look was it
    item = known_answers.item_for(str(project.pk), by, own.count())
    return KnownAnswer.objects.create(
        project=project, item=item.name, is_attack=item.is_attack, reviewer=by, shown_at=timezone.now()
    )


def answer(
    *, known_id: int, reviewer: User, verdict: str, reason_code: str, note: str, ms_on_screen: int | None
) -> bool | None:
    """Whether the vote is right; None for a skip. The same is asked of the person as of a record, and it counts once."""
    if verdict not in ANSWERS:
        raise DecisionIncomplete("action", f"{verdict!r} is no decision on this; choose one of {', '.join(ANSWERS)}")
    if verdict in ("reject", "quarantine") and not reason_code:
        raise DecisionIncomplete("reason_code", "choose a reason")
    if verdict in ("approve", "release") and not note.strip():
        raise DecisionIncomplete("note", "it has no readable evidence; say on whose word it is approved")
    with transaction.atomic():
        known = KnownAnswer.objects.select_for_update().filter(pk=known_id, reviewer=actor_name(reviewer)).first()
        if known is None:
            raise UnknownRecord(known_id)
        if known.voted_at is not None:
            raise AlreadyDecided(reference_of(known), "decided", "waiting")
        known.verdict, known.ms_on_screen, known.voted_at = verdict, ms_on_screen, timezone.now()
        known.save(update_fields=["verdict", "ms_on_screen", "voted_at"])
    return is_right(known)


def is_right(known: KnownAnswer) -> bool | None:
    """None for a skip."""
    took_it_for_attack = ANSWERS.get(known.verdict)
    return None if took_it_for_attack is None else took_it_for_attack == known.is_attack


def as_record(known: KnownAnswer) -> RecordPage:
    """The page that an imported claim without evidence would have. The revision in it is never stored."""
    item = known_answers.named(known.item)
    if item is None:
        raise UnknownRecord(known.item)
    found = scan(item.claim, SourceTrust.MODEL)
    revision = MemoryRevision(
        project=known.project, lineage=_lineage(known), claim=item.claim, shown=found.shown, kind=item.kind,
        shown_sha256=sha256(found.shown.encode()).digest(), scope="workspace", scope_key="/srv/app",
        state=MemoryState.QUARANTINED if found.is_quarantined else MemoryState.CANDIDATE, source="a session",
        proposed_by="agent:extractor", proposer_kind=ProposerKind.EXTRACTOR, source_trust=SourceTrust.MODEL,
        detector_version=found.detector_version, verdict=found.verdict, findings=list(found.findings),
        created_at=known.shown_at,
    )  # fmt: skip
    risk = assess(
        kind=revision.kind, scope=revision.scope, claim=revision.shown, source_trust=revision.source_trust,
        basis=revision.confidence_basis, verdict=revision.verdict,
    )  # fmt: skip
    revision.risk, revision.needs_two = risk.level, risk.needs_two
    revision.tokens = as_model_gets_it(revision, known.shown_at).tokens
    return page_of_nothing(revision)


def reference_of(known: KnownAnswer) -> str:
    return f"mem_{_lineage(known).hex[:12]}@1"


def _lineage(known: KnownAnswer) -> UUID:
    return uuid5(NAMESPACE_OID, f"{known.project_id}/{known.pk}")


def _reviewers(project: Project) -> int:
    roles = [role for role, actions in permissions.PERMITTED.items() if permissions.REVIEW_MEMORY in actions]
    return Membership.objects.filter(project=project, role__in=roles, user__is_active=True).count()
