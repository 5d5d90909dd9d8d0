"""What is known of the integrity of sessions and of the log, for pages. Verifies nothing itself."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import OuterRef, Subquery

from contextapp.accounts.models import AuditEntry
from contextapp.eventlog.checkpoint_keys import known_keys
from contextapp.eventlog.errors import CheckpointRefused
from contextapp.eventlog.models import Checkpoint, CheckpointHead, Event, Head, LogVerification, SessionVerification


@dataclass(frozen=True, slots=True)
class Integrity:
    """The latest result of a session: good up to event `seq` of `head_seq`, and the newest checkpoint that covers a part."""

    verdict: str
    seq: int
    head_seq: int
    at: datetime
    checkpoint: int | None
    what: str

    @property
    def is_good(self) -> bool:
        return self.verdict in ("verified", "unanchored")

    @property
    def is_whole(self) -> bool:
        """Good, and nothing was added since."""
        return self.is_good and self.seq == self.head_seq


@dataclass(frozen=True, slots=True)
class Alarm:
    at: datetime
    what: str


def integrity_of(session_ids: Collection[UUID]) -> dict[UUID, Integrity]:
    """By session; one that was never verified is absent. One query, however many there are."""
    head = Head.objects.filter(session_id=OuterRef("session_id")).values("head_seq")
    known = SessionVerification.objects.filter(session_id__in=session_ids)
    return {
        one.session_id: Integrity(one.verdict, one.seq, one.head_seq or 0, one.at, one.checkpoint, one.what)
        for one in known.annotate(head_seq=Subquery(head))
    }


def checkpoint_covering(session_id: UUID, seq: int) -> Checkpoint | None:
    """The first checkpoint whose signature reaches that event; None while none does."""
    first = (
        CheckpointHead.objects.filter(session_id=session_id, head_seq__gte=seq)
        .order_by("checkpoint_id")
        .values_list("checkpoint_id", flat=True)
        .first()
    )
    return None if first is None else Checkpoint.objects.filter(number=first).first()


def checkpoint_of_build(session_id: UUID, log_seq: int) -> Checkpoint | None:
    """The first checkpoint over the `context.built` of a step that was made from the log up to `log_seq`."""
    built = Event.objects.filter(session_id=session_id, seq__gt=log_seq, type="context.built")
    seq = built.order_by("seq").values_list("seq", flat=True).first()
    return None if seq is None else checkpoint_covering(session_id, seq)


def list_checkpoints(before: int | None = None, limit: int = 50) -> tuple[Checkpoint, ...]:
    """Newest first; `before` continues below that number."""
    found = Checkpoint.objects.order_by("-number")
    return tuple((found if before is None else found.filter(number__lt=before))[:limit])


def public_key_text() -> str:
    """Every public key of this installation as C2SP key lines, the present one last. Empty before the first checkpoint."""
    try:
        return "".join(f"{key.text()}\n" for key in known_keys())
    except CheckpointRefused:
        return ""


def checkpoint_alarm() -> Alarm | None:
    """Why no checkpoint was taken, if the last attempts were refused."""
    newest = Checkpoint.objects.order_by("-number").values_list("taken_at", flat=True).first()
    raised = AuditEntry.objects.filter(action="checkpoint.refused")
    if newest is not None:
        raised = raised.filter(at__gt=newest)
    last = raised.order_by("-at").first()
    return None if last is None else Alarm(last.at, str((last.after or {}).get("what", "")))


def last_verification(is_full: bool | None = None) -> LogVerification | None:
    """The latest run over the log."""
    runs = LogVerification.objects.order_by("-id")
    return (runs if is_full is None else runs.filter(is_full=is_full)).first()
