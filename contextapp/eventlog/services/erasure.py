"""Erases the content of a session and leaves the record that it existed: the chain still verifies afterwards."""

from __future__ import annotations

import secrets
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from contextapp.accounts.services import record
from contextapp.eventlog.eraser import as_eraser
from contextapp.eventlog.erasure import purge_derived
from contextapp.eventlog.errors import UnknownSession
from contextapp.eventlog.models import Artifact, ArtifactUse, Head, Session
from contextapp.eventlog.services.writing import call_function
from contextapp.eventlog.values import Erased
from contextapp.evidence import canonical
from contextapp.evidence.chain import SALT_BYTES

_ERASE = (
    "SELECT redaction_seq, erased FROM eventlog_erase("
    "%b::uuid, %b::bigint, %b::bigint, %b::text, %b::uuid, %b::bytea, %b::bytea)"
)


@as_eraser()
def erase_session(*, session_id: UUID, reason: str, actor: str) -> Erased:
    """Payloads, artifacts used nowhere else, title and derived rows go; `event.redacted` says who did it and why.

    Done twice, the second time changes nothing.
    """
    if not reason.strip():
        raise ValueError("an erasure needs a reason")
    with transaction.atomic():
        head = Head.objects.select_for_update(no_key=True).filter(session_id=session_id).first()
        if head is None:
            raise UnknownSession(session_id)
        session = Session.objects.select_related("project").get(id=session_id)
        if session.erased_at is not None:
            return Erased(head.head_seq, 0, 0)

        purge_derived(session_id)
        redaction_seq, payloads = _redact(session_id, head.head_seq, reason, actor)
        artifacts = _drop_artifacts(session_id)
        Session.objects.filter(id=session_id).update(
            title="", guide=None, fill_series=[], external_id="", erased_at=timezone.now()
        )
        record(
            project=session.project,
            actor=actor,
            action="session.erased",
            target=f"session:{session_id}",
            after={"payloads": payloads, "artifacts": artifacts, "reason": reason, "redaction_seq": redaction_seq},
        )
    return Erased(redaction_seq, payloads, artifacts)


def _redact(session_id: UUID, last_seq: int, reason: str, actor: str) -> tuple[int, int]:
    body = canonical.encode({"first_seq": 1, "last_seq": last_seq, "reason": reason, "by": actor})
    salt = secrets.token_bytes(SALT_BYTES)
    redaction_seq, payloads = call_function(_ERASE, (session_id, 1, last_seq, actor, uuid4(), salt, body))
    return redaction_seq, payloads


def _drop_artifacts(session_id: UUID) -> int:
    """The artifacts that no other session uses. They are locked first, so that none gains a use meanwhile."""
    uses = ArtifactUse.objects.filter(session_id=session_id)
    candidates = Artifact.objects.filter(id__in=uses.values("artifact_id")).order_by("sha256")
    locked = list(candidates.select_for_update().values_list("id", flat=True))
    uses.delete()
    _, deleted = Artifact.objects.filter(id__in=locked, uses=None).delete()
    return int(deleted.get("eventlog.Artifact", 0))
