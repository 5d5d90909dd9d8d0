"""Keeps attachments once per project and notes which event uses them. Never leaves a use without its artifact."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from contextapp.eventlog.models import Artifact, ArtifactUse, Head
from contextapp.eventlog.services.content import Attachment
from contextapp.eventlog.services.drafts import Prepared


def keep_artifacts(*, session_id: UUID, prepared: Sequence[Prepared], seqs: Sequence[int]) -> None:
    """To be called in the transaction that appended the events, after them: it holds the session's head."""
    if not any(event.attachments for event in prepared):
        return
    project_id = Head.objects.values_list("project_id", flat=True).get(session_id=session_id)
    wanted = {kept.sha256: kept for event in prepared for kept in event.attachments}
    ids = _stored(project_id, wanted)
    uses = {(ids[kept.sha256], seq) for event, seq in zip(prepared, seqs, strict=True) for kept in event.attachments}
    ArtifactUse.objects.bulk_create(
        [ArtifactUse(artifact_id=artifact_id, session_id=session_id, seq=seq) for artifact_id, seq in sorted(uses)],
        ignore_conflicts=True,  # a retry has its uses already
    )


def _stored(project_id: UUID, wanted: dict[bytes, Attachment]) -> dict[bytes, int]:
    """Ids by hash. The rows are locked against an erasure that would delete them before we point to them."""
    found: dict[bytes, int] = {}
    while len(found) < len(wanted):
        Artifact.objects.bulk_create(
            [
                Artifact(
                    project_id=project_id,
                    sha256=kept.sha256,
                    media_type=kept.media_type,
                    size_bytes=len(kept.body),
                    body=kept.body,
                )
                for digest, kept in sorted(wanted.items())
                if digest not in found
            ],
            ignore_conflicts=True,
        )
        rows = Artifact.objects.filter(project_id=project_id, sha256__in=[*wanted]).order_by("sha256")
        locked = rows.select_for_update(no_key=False).values_list("sha256", "id")
        found = {bytes(digest): artifact_id for digest, artifact_id in locked}
    return found
