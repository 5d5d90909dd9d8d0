"""Keeps attachments once per project and notes which event uses them. Never leaves a use without its artifact.

An artifact that was put before the event that names it stands at place 0 of its session until that event comes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from uuid import UUID

from django.db import transaction

from contextapp.eventlog.errors import ArtifactRefused, DraftRefused, SessionErased, UnknownSession
from contextapp.eventlog.masking.projects import rules_for
from contextapp.eventlog.models import Artifact, ArtifactUse, Head, Session
from contextapp.eventlog.services.content import Attachment
from contextapp.eventlog.services.drafts import Prepared

NOT_NAMED_YET = 0
_DIGEST = re.compile(r"[0-9a-f]{64}")


def put_artifact(*, session_id: UUID, digest: bytes, media_type: str, body: bytes) -> bool:
    """Whether it is new to this session. ArtifactRefused: the bytes are not those of the hash, or hold a secret."""
    found = sha256(body).digest()
    if found != digest:
        raise ArtifactRefused(
            "sha256", f"the body has SHA-256 {found.hex()}, not {digest.hex()}; send the bytes it names"
        )
    with transaction.atomic():
        session = Session.objects.select_for_update(no_key=True).filter(id=session_id).first()
        if session is None:
            raise UnknownSession(session_id)
        if session.erased_at is not None:
            raise SessionErased(session_id)
        if ArtifactUse.objects.filter(session_id=session_id, artifact__sha256=digest).exists():
            return False
        _refuse_secrets(session.project_id, body)
        ids = _stored(session.project_id, {digest: Attachment(digest, media_type, body)})
        use = ArtifactUse(artifact_id=ids[digest], session_id=session_id, seq=NOT_NAMED_YET)
        ArtifactUse.objects.bulk_create([use], ignore_conflicts=True)
    return True


def keep_artifacts(*, session_id: UUID, prepared: Sequence[Prepared], seqs: Sequence[int]) -> None:
    """To be called in the transaction that appended the events, after them: it holds the session's head."""
    if not name_artifacts(prepared):
        return
    named = [(place, digest) for place, event in enumerate(prepared) for digest in _named(event)]
    project_id = Head.objects.values_list("project_id", flat=True).get(session_id=session_id)
    wanted = {kept.sha256: kept for event in prepared for kept in event.attachments}
    ids = _stored(project_id, wanted)
    uses = {(ids[kept.sha256], seq) for event, seq in zip(prepared, seqs, strict=True) for kept in event.attachments}
    uses |= _uses_by_name(session_id, named, seqs)
    ArtifactUse.objects.bulk_create(
        [ArtifactUse(artifact_id=artifact_id, session_id=session_id, seq=seq) for artifact_id, seq in sorted(uses)],
        ignore_conflicts=True,  # a retry has its uses already
    )
    now_named = [artifact_id for artifact_id, _seq in uses]
    ArtifactUse.objects.filter(session_id=session_id, seq=NOT_NAMED_YET, artifact_id__in=now_named).delete()


def name_artifacts(prepared: Sequence[Prepared]) -> bool:
    """Whether any of the events brings an artifact or names one."""
    return any(event.attachments or _named(event) for event in prepared)


def _named(event: Prepared) -> list[bytes]:
    """The artifact that the writer names in `artifact.sha256`, unless it is one that we made of this very event."""
    reference = event.draft.payload.get("artifact")
    text = reference.get("sha256") if isinstance(reference, dict) else None
    if not isinstance(text, str) or not _DIGEST.fullmatch(text):
        return []
    digest = bytes.fromhex(text)
    return [] if any(kept.sha256 == digest for kept in event.attachments) else [digest]


def _uses_by_name(session_id: UUID, named: Sequence[tuple[int, bytes]], seqs: Sequence[int]) -> set[tuple[int, int]]:
    """Only what stands in this session can be named: a hash tells nothing of other sessions."""
    if not named:
        return set()
    here = Artifact.objects.filter(sha256__in={digest for _place, digest in named}, uses__session_id=session_id)
    locked = Artifact.objects.filter(id__in=here.values("id")).order_by("sha256").select_for_update(no_key=False)
    ids = {bytes(digest): artifact_id for digest, artifact_id in locked.values_list("sha256", "id")}
    for place, digest in named:
        if digest not in ids:
            rule = f"this session has no artifact {digest.hex()}; put it first, then append the event that names it"
            raise DraftRefused(place, "payload.artifact.sha256", rule)
    return {(ids[digest], seqs[place]) for place, digest in named}


def _refuse_secrets(project_id: UUID, body: bytes) -> None:
    """A masked body would have another hash than the one it was put under, so it is not taken at all."""
    masking = rules_for(project_id)
    if masking.mode == "flag":
        return
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return  # not text
    found = masking.scanner.find(text)
    if found:
        place = f"characters {found[0].start}-{found[0].end}"
        raise ArtifactRefused("body", f"rule {found[0].rule} finds a secret at {place}; remove it and put the new hash")


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
