"""Puts a summary into the log, or that there is none, or that one no longer counts. Only ever appends."""

from __future__ import annotations

from uuid import UUID, uuid5

from django.utils import timezone
from django.utils.translation import gettext as _

from contextapp.compaction.errors import NoSuchCompaction
from contextapp.compaction.models import Compaction
from contextapp.compaction.values import Made, NotMade, Stored
from contextapp.engine.events import (
    COMPACTION_FAILED,
    COMPACTION_WITHDRAWN,
    EVENT_REDACTED,
    SESSION_COMPACTED,
)  # fmt: skip
from contextapp.eventlog import services as log
from contextapp.eventlog.errors import EventIdConflict, WrongHead
from contextapp.eventlog.models import Event as EventRecord
from contextapp.eventlog.selectors import head_seq
from contextapp.eventlog.values import Draft

STALE = "stale"
_MOVES = (SESSION_COMPACTED, COMPACTION_WITHDRAWN, EVENT_REDACTED)
ATTEMPTS = 5


def draft_of(session_id: UUID, made: Made) -> Draft:
    """The event, with an id of its range: made twice it is the same event, so that two deliveries have one effect."""
    return Draft(
        event_id=uuid5(session_id, f"{SESSION_COMPACTED}:{made.covers_to}:{made.payload['summary']}"),
        type=SESSION_COMPACTED,
        payload=dict(made.payload),
        occurred_at=None,
    )


def store(*, session_id: UUID, made: Made, actor: str) -> Stored | NotMade:
    """Events that came meanwhile do no harm, since a summary names its range; another compaction, a withdrawal or an erasure
    does: then what was made is thrown away and the log says so."""
    draft = draft_of(session_id, made)
    for _attempt in range(ATTEMPTS):
        head = head_seq(session_id)
        if moved := _moved_since(session_id, made.upto_seq, draft.event_id):
            stale = NotMade(
                STALE, f"event {moved} changed what it stands for", made.covers_to, by=made.by, is_recorded=True
            )
            record_failure(session_id=session_id, failed=stale, trigger=str(made.payload["trigger"]), actor=actor)
            return stale
        try:
            appended = log.append(session_id=session_id, drafts=[draft], actor=actor, expected_seq=head)
        except WrongHead:
            continue
        except EventIdConflict as error:
            return NotMade(STALE, str(error), made.covers_to, by=made.by)
        seq = appended.results[0].seq
        return Stored(seq, made.covers_to, made.before_tokens, made.after_tokens, made.by, made.fallback)
    return NotMade(STALE, f"session {session_id} kept growing while it was stored", made.covers_to, by=made.by)


def record_failure(*, session_id: UUID, failed: NotMade, trigger: str, actor: str) -> None:
    """Once for the same failure at the same place of the log."""
    payload = {
        "reason": failed.code,
        "detail": failed.detail[:500],
        "covers": [1, failed.covers_to],
        "trigger": trigger,
        "by": failed.by,
        "before_tokens": failed.before_tokens,
        "after_tokens": failed.after_tokens,
    }
    identity = uuid5(session_id, f"{COMPACTION_FAILED}:{failed.code}:{failed.covers_to}:{failed.detail}:{trigger}")
    draft = Draft(event_id=identity, type=COMPACTION_FAILED, payload=payload, occurred_at=None, visibility="audit")
    log.append(session_id=session_id, drafts=[draft], actor=actor)


def withdraw(*, session_id: UUID, seq: int, reason: str, actor: str) -> int:
    """The compaction of that event no longer counts: its range comes back, the earlier summary is in force again. The seq of
    the event that says so; withdrawing twice is one withdrawal."""
    row = Compaction.objects.filter(session_id=session_id, seq=seq).first()
    if row is None:
        raise NoSuchCompaction(
            _("session %(session)s has no compaction at event %(seq)s") % {"session": session_id, "seq": seq}
        )
    draft = Draft(
        event_id=uuid5(session_id, f"{COMPACTION_WITHDRAWN}:{seq}"),
        type=COMPACTION_WITHDRAWN,
        payload={"seq": seq, "reason": reason, "by": actor},
        occurred_at=timezone.now(),
        visibility="audit",
    )
    if row.withdrawn_seq is not None:
        return row.withdrawn_seq
    return log.append(session_id=session_id, drafts=[draft], actor=actor).results[0].seq


def _moved_since(session_id: UUID, seq: int, own_id: UUID) -> int:
    """The first event after that one which changes what a summary would stand for; 0 for none."""
    later = EventRecord.objects.filter(session_id=session_id, seq__gt=seq, type__in=_MOVES).exclude(event_id=own_id)
    return later.order_by("seq").values_list("seq", flat=True).first() or 0
