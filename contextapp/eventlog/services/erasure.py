"""Erases the content of a session or of some events, and leaves the record that it existed: the chain still verifies."""

from __future__ import annotations

import secrets
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from contextapp.accounts.services import record
from contextapp.engine.events import SESSION_COMPACTED
from contextapp.eventlog.eraser import as_eraser
from contextapp.eventlog.erasure import purge_derived
from contextapp.eventlog.errors import BadRange, UnknownSession
from contextapp.eventlog.models import Artifact, ArtifactUse, Event, Head, Session
from contextapp.eventlog.selectors import get_events, iter_events
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
    with transaction.atomic():
        head = _locked_head(session_id, reason)
        sessions = Session.objects.select_for_update(of=("self",), no_key=True)  # no artifact is put meanwhile
        session = sessions.select_related("project").get(id=session_id)
        if session.erased_at is not None:
            return Erased(head.head_seq, 0, 0)

        purge_derived(session_id)
        redaction_seq, payloads = _redact(session_id, head.head_seq, reason, actor)
        artifacts = _drop_artifacts(session_id)
        Session.objects.filter(id=session_id).update(
            title="", user="", guide=None, fill_series=[], external_id="", erased_at=timezone.now()
        )
        record(
            project=session.project,
            actor=actor,
            action="session.erased",
            target=f"session:{session_id}",
            after={"payloads": payloads, "artifacts": artifacts, "reason": reason, "redaction_seq": redaction_seq},
        )
    return Erased(redaction_seq, payloads, artifacts)


@as_eraser()
def erase_events(*, session_id: UUID, first_seq: int, last_seq: int, reason: str, actor: str) -> Erased:
    """The content of the events first..last goes, and of every summary that was made of them; all derived rows follow.

    What is erased already stays so. BadRange names what is wrong with the range.
    """
    with transaction.atomic():
        head = _locked_head(session_id, reason)
        if not 1 <= first_seq <= last_seq <= head.head_seq:
            raise BadRange(session_id, first_seq, last_seq, head.head_seq)
        session = Session.objects.select_related("project").get(id=session_id)
        if session.erased_at is not None:
            return Erased(head.head_seq, 0, 0)

        ranges = [(first_seq, last_seq), *_summaries_of(session_id, first_seq, last_seq)]
        _forget_title(session, ranges)
        redaction_seq = payloads = artifacts = 0
        for first, last in ranges:
            purge_derived(session_id, first, last)
            redaction_seq, erased = _redact(session_id, last, reason, actor, first_seq=first)
            payloads += erased
            artifacts += _drop_artifacts(session_id, first, last)
        record(
            project=session.project,
            actor=actor,
            action="events.erased",
            target=f"session:{session_id}",
            after={"ranges": ranges, "payloads": payloads, "artifacts": artifacts, "reason": reason},
        )
    return Erased(redaction_seq, payloads, artifacts)


def _locked_head(session_id: UUID, reason: str) -> Head:
    """No event is appended meanwhile; an erasure without a reason is refused before anything is locked."""
    if not reason.strip():
        raise ValueError("an erasure needs a reason")
    head = Head.objects.select_for_update(no_key=True).filter(session_id=session_id).first()
    if head is None:
        raise UnknownSession(session_id)
    return head


def _summaries_of(session_id: UUID, first_seq: int, last_seq: int) -> list[tuple[int, int]]:
    """The compactions whose range takes in any of these events, or such a compaction: they repeat its words."""
    found: list[tuple[int, int]] = []
    gone = [(first_seq, last_seq)]
    later = Event.objects.filter(session_id=session_id, type=SESSION_COMPACTED, seq__gt=first_seq).order_by("seq")
    for event in get_events(session_id, seqs=list(later.values_list("seq", flat=True))):
        covers = event.payload.get("covers")
        start, end = covers if isinstance(covers, list) and len(covers) == 2 else (1, event.seq - 1)
        if any(start <= last and first <= end for first, last in gone) and not first_seq <= event.seq <= last_seq:
            found.append((event.seq, event.seq))
            gone.append((event.seq, event.seq))
    return found


def _forget_title(session: Session, ranges: list[tuple[int, int]]) -> None:
    """A title is made of somebody's first words; where those go, it goes."""
    start = session.title.rstrip("…")[:60]
    if not start:
        return
    for first, last in ranges:
        for event in iter_events(session.id, after_seq=first - 1, upto_seq=last):
            texts = (value for value in event.payload.values() if isinstance(value, str))
            if any(start in " ".join(text.split()) for text in texts):
                Session.objects.filter(id=session.id).update(title="")
                return


def _redact(session_id: UUID, last_seq: int, reason: str, actor: str, first_seq: int = 1) -> tuple[int, int]:
    body = canonical.encode({"first_seq": first_seq, "last_seq": last_seq, "reason": reason, "by": actor})
    salt = secrets.token_bytes(SALT_BYTES)
    parameters = (session_id, first_seq, last_seq, actor, uuid4(), salt, body)
    redaction_seq, payloads = call_function(_ERASE, parameters)
    return redaction_seq, payloads


def _drop_artifacts(session_id: UUID, first_seq: int = 0, last_seq: int | None = None) -> int:
    """The artifacts that no other event uses. Place 0 is of those put and not named yet.

    They are locked first, so that none gains a use meanwhile.
    """
    uses = ArtifactUse.objects.filter(session_id=session_id, seq__gte=first_seq)
    if last_seq is not None:
        uses = uses.filter(seq__lte=last_seq)
    candidates = Artifact.objects.filter(id__in=uses.values("artifact_id")).order_by("sha256")
    locked = list(candidates.select_for_update().values_list("id", flat=True))
    uses.delete()
    _, deleted = Artifact.objects.filter(id__in=locked, uses=None).delete()
    return int(deleted.get("eventlog.Artifact", 0))
