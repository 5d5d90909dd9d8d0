"""What the erasure of a session reaches here: records that were drawn from it and decided by nobody, and memory scoped to it.

Their text goes from the table and from the governance stream; that they existed, and who decided what, stays.
"""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from contextapp.eventlog.services import erase_events
from contextapp.memory.columns import COLUMNS, described
from contextapp.memory.models import MemoryEmbedding, MemoryReview, MemoryRevision, MemoryScope, MemoryState
from contextapp.memory.services.governance import stream_of, tell
from contextapp.memory.transitions import REDACTED

SYSTEM = "system"
_KEPT_STATES = (MemoryState.APPROVED, MemoryState.SUPERSEDED, MemoryState.EXPIRED, MemoryState.REVOKED)


def purge_session(session_id: UUID, first_seq: int = 1, last_seq: int | None = None) -> None:
    """Called by erasure, in its transaction. Approved records stay: people made them the project's own."""
    drawn = Q(evidence__session_id=session_id, evidence__seq__gte=first_seq) | Q(
        proposed_session=session_id, proposed_seq__gte=first_seq
    )
    if last_seq is not None:
        drawn = Q(evidence__session_id=session_id, evidence__seq__range=(first_seq, last_seq)) | Q(
            proposed_session=session_id, proposed_seq__range=(first_seq, last_seq)
        )
    found = MemoryRevision.objects.filter(drawn).exclude(state__in=_KEPT_STATES)
    whole = MemoryRevision.objects.none()
    if first_seq == 1 and last_seq is None:
        whole = MemoryRevision.objects.filter(scope=MemoryScope.SESSION, scope_key=str(session_id))
    for revision in MemoryRevision.objects.filter(Q(pk__in=found.values("pk")) | Q(pk__in=whole.values("pk"))).exclude(
        state=MemoryState.REDACTED
    ):
        redact(revision, reason=f"session {session_id} was erased")


def redact(revision: MemoryRevision, *, reason: str) -> None:
    """Empty every column that holds content, say so in the stream, and erase the event that held it."""
    told_at = revision.governance_seq
    now = timezone.now()
    revision.claim = revision.shown = revision.value = revision.conflict_key = revision.source = ""
    revision.findings, revision.reason, revision.state = [], reason[:500], MemoryState.REDACTED
    revision.shown_sha256 = revision.content_key = revision.claim_key = bytes(32)
    revision.decided_by, revision.decided_at, revision.changed_at = SYSTEM, now, now
    revision.search, revision.version = None, revision.version + 1
    revision.evidence_checks = {}
    revision.save()
    MemoryEmbedding.objects.filter(revision=revision).delete()
    MemoryReview.objects.filter(memory=revision).update(note="", shown_sha256=bytes(32))
    payload = {"lineage": str(revision.lineage), "revision": revision.revision, "columns": described(revision, COLUMNS)}
    tell(project_id=revision.project_id, type=REDACTED, actor=SYSTEM, payload=payload)
    if told_at is not None:
        stream = stream_of(revision.project_id)
        erase_events(session_id=stream.id, first_seq=told_at, last_seq=told_at, reason=reason, actor=SYSTEM)
