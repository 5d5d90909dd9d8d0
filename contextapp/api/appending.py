"""The one way from a request to the log, with what the log refuses turned into problems that name event and field."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.http import HttpRequest

from contextapp.accounts import services
from contextapp.api.keys import actor, key_of
from contextapp.api.problems import Problem
from contextapp.eventlog import errors, waiting
from contextapp.eventlog import services as log
from contextapp.eventlog.values import AppendResult, Draft


def append(
    request: HttpRequest, session_id: UUID, drafts: Sequence[Draft], expected_seq: int | None = None
) -> AppendResult:
    """Whoever waits for the session is told once it is committed."""
    try:
        appended = log.append(
            session_id=session_id,
            drafts=drafts,
            actor=actor(request),
            api_key_id=key_of(request).id,
            expected_seq=expected_seq,
        )
    except errors.EventIdConflict as error:
        place = next((at for at, draft in enumerate(drafts) if draft.event_id == error.event_id), None)
        raise Problem(409, "event_id_conflict", str(error), index=place, field="event_id") from error
    except errors.WrongHead as error:
        raise Problem(409, "wrong_head", str(error), head_seq=error.head_seq) from error
    except errors.DraftRefused as error:
        raise Problem(422, "event_refused", str(error), index=error.index, field=error.field) from error
    except errors.SessionErased as error:
        raise Problem(409, "session_erased", str(error)) from error
    services.note_events(key=key_of(request), events=len(drafts))
    if not all(stored.duplicate for stored in appended.results):
        waiting.tell(session_id)
    return appended
