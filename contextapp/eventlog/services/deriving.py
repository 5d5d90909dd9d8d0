"""Reads new events for queries, in the background: appends write evidence alone. Running it again changes nothing."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from contextapp.eventlog.models import Event, Head, Payload, Reading, ReadingMark, Session
from contextapp.eventlog.reading import read_payload
from contextapp.jobs.handle import JobHandle
from contextapp.jobs.services import enqueue

DERIVE = "eventlog.derive"
PAGE_EVENTS = 200
DERIVE_DELAY = timedelta(seconds=3)

_INSERT = """
INSERT INTO eventlog_reading (project_id, session_id, seq, type, doc, cleaned, characters, tokens, search)
SELECT %(project)s, %(session)s, given.seq, given.type, given.doc::jsonb, given.cleaned::jsonb, given.characters, given.tokens,
    array_to_tsvector(ARRAY(SELECT json_array_elements_text(given.words::json)))
FROM unnest(%(seqs)s::bigint[], %(types)s::text[], %(docs)s::text[], %(cleaned)s::text[], %(characters)s::int[],
    %(tokens)s::int[], %(words)s::text[]) AS given (seq, type, doc, cleaned, characters, tokens, words)
ON CONFLICT (session_id, seq) DO NOTHING
"""


def request_deriving(*, session_id: UUID, project_id: UUID) -> None:
    """In a few seconds, in the background: what comes until then is read by the same job."""
    enqueue(
        kind=DERIVE,
        key=str(session_id),
        payload={"session": str(session_id)},
        project_id=project_id,
        not_before=timezone.now() + DERIVE_DELAY,
        again=True,
    )


def derive_job(job: JobHandle) -> None:
    session_id = UUID(job.payload["session"])
    while derive_page(session_id=session_id):
        if not job.still_mine():
            return


def derive_session(*, session_id: UUID) -> int:
    """Everything that is not read yet; how many events were."""
    done = 0
    while page := derive_page(session_id=session_id):
        done += page
    return done


def derive_page(*, session_id: UUID) -> int:
    """The next events after the mark, in one transaction under its lock; how many."""
    with transaction.atomic():
        mark = _locked_mark(session_id)
        events = list(
            Event.objects.filter(session_id=session_id, seq__gt=mark.seq)
            .order_by("seq")
            .values("seq", "type", "project_id")[:PAGE_EVENTS]
        )
        if not events:
            return 0
        seqs = [event["seq"] for event in events]
        bodies = dict(Payload.objects.filter(session_id=session_id, seq__in=seqs).values_list("seq", "body"))
        _store(
            session_id,
            [(event["seq"], event["type"], bytes(bodies[event["seq"]])) for event in events if event["seq"] in bodies],
        )
        ReadingMark.objects.filter(pk=mark.pk).update(seq=seqs[-1], at=Now())
    return len(events)


def purge_readings(session_id: UUID, first_seq: int = 1, last_seq: int | None = None) -> None:
    """Called by erasure, in its transaction. What is erased is not read again: of a whole session the mark goes to its end."""
    mark = _locked_mark(session_id)  # whoever reads it at this moment ends first
    readings = Reading.objects.filter(session_id=session_id, seq__gte=first_seq)
    (readings if last_seq is None else readings.filter(seq__lte=last_seq)).delete()
    if last_seq is None:
        head = Head.objects.filter(session_id=session_id).values_list("head_seq", flat=True).first() or 0
        ReadingMark.objects.filter(pk=mark.pk).update(seq=head, at=Now())


def _locked_mark(session_id: UUID) -> ReadingMark:
    mark, _is_new = ReadingMark.objects.get_or_create(session_id=session_id, defaults={"at": Now()})
    return ReadingMark.objects.select_for_update().get(pk=mark.pk)


def _store(session_id: UUID, payloads: list[tuple[int, str, bytes]]) -> None:
    if not payloads:
        return
    read = [read_payload(body) for _seq, _type, body in payloads]
    project_id = Session.objects.values_list("project_id", flat=True).get(id=session_id)
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT,
            {
                "project": project_id,
                "session": session_id,
                "seqs": [seq for seq, _type, _body in payloads],
                "types": [kind for _seq, kind, _body in payloads],
                "docs": [one.doc for one in read],
                "cleaned": [None if one.cleaned is None else json.dumps(one.cleaned) for one in read],
                "characters": [one.characters for one in read],
                "tokens": [one.tokens for one in read],
                "words": [json.dumps(one.words) for one in read],
            },
        )
