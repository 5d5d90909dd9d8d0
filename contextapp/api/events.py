"""Events: append a batch, all of it or none, and read the log on from a place."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Router

from contextapp.accounts import permissions
from contextapp.api import examples, following
from contextapp.api.access import own_session, session_of
from contextapp.api.appending import append
from contextapp.api.cursors import After, EventLimit, ExpectedHead, TypeFilter, WaitSeconds
from contextapp.api.keys import KeyAuth, key_of
from contextapp.api.parsing import LINES, largest_encoded
from contextapp.api.problems import READ_PROBLEMS, WRITE_PROBLEMS, Problem
from contextapp.api.schemas import AppendedOut, EventIn, EventsIn, EventsOut, StoredOut
from contextapp.contexts import services as contexts
from contextapp.engine.events import Event
from contextapp.eventlog.values import Draft
from contextapp.evidence import canonical

router = Router(tags=["events"])


@router.post(
    "/sessions/{uuid:session_id}/events",
    operation_id="append_events",
    summary="Append events",
    auth=KeyAuth("event.append", takes_lines=True),
    response={200: AppendedOut, **WRITE_PROBLEMS},
    openapi_extra={"requestBody": {"content": {LINES: examples.EVENT_LINES}}},
)
def append_events(
    request: HttpRequest, session_id: UUID, batch: EventsIn, expected_head: ExpectedHead = None
) -> AppendedOut:
    """All or nothing. An event sent again gets its old place and `duplicate: true`; an answer means: committed.
    `application/x-ndjson`: one event per line, and `expected_head` stands in the address; of a JSON batch it may stand there or
    in the body. `Content-Encoding: gzip` and `Content-Digest` (RFC 9530) are taken."""
    key = key_of(request)
    own_session(key, session_id)
    largest = largest_encoded(request)
    drafts = [_draft(index, event, largest) for index, event in enumerate(batch.events)]
    appended = append(request, session_id, drafts, expected_seq=_expected(batch, expected_head))
    contexts.request_index(session_id=session_id, project_id=key.project_id)
    return AppendedOut(
        results=[StoredOut(seq=stored.seq, duplicate=stored.duplicate) for stored in appended.results],
        head_seq=appended.head_seq,
    )


@router.get(
    "/sessions/{uuid:session_id}/events",
    operation_id="list_events",
    summary="Read events",
    auth=KeyAuth(permissions.READ),
    response={200: EventsOut, **READ_PROBLEMS},
)
def list_events(
    request: HttpRequest,
    session_id: UUID,
    after: After = 0,
    limit: EventLimit = 100,
    wait: WaitSeconds = 0,
    types: TypeFilter = [],  # noqa: B006  django-ninja copies it
) -> HttpResponse:
    """In the order of the log. Payloads are as they were written: escapes and number literals are kept. `type`, once or more,
    is a whole type or the beginning of some (`tool.`). Where `next_after` is null, go on from `head_seq`: all that was asked
    for up to there is in this answer. With `wait` an answer without events comes only after that many seconds; where too many
    wait already it comes at once, with Retry-After."""
    session = session_of(key_of(request), session_id)
    found = following.read(session.id, after=after, limit=limit + 1, wait_seconds=wait, types=types)
    page = found.events[:limit]
    content = {
        "events": [_described(event) for event in page],
        "next_after": page[-1].seq if len(found.events) > limit else None,
        "head_seq": found.head_seq,
    }
    response = HttpResponse(canonical.encode(content), content_type="application/json")
    if not found.was_let_wait:
        response["Retry-After"] = "1"
    return response


def _expected(batch: EventsIn, in_address: int | None) -> int | None:
    if batch.expected_head is None or in_address is None:
        return in_address if batch.expected_head is None else batch.expected_head
    if batch.expected_head != in_address:
        detail = f"the body says {batch.expected_head}, the address {in_address}; give one of them"
        raise Problem(422, "invalid_field", detail, field="expected_head")
    return in_address


def _draft(index: int, event: EventIn, largest: int) -> Draft:
    """`largest`: no payload of this batch can have more bytes, so that a small batch need not be measured."""
    limit = settings.API_EVENT_LIMIT_BYTES
    size = len(canonical.encode(event.payload)) if largest > limit else 0
    if size > limit:
        detail = f"the payload has {size} bytes, the limit is {limit}; send large content as a file reference"
        raise Problem(413, "event_too_large", detail, index=index, field="payload")
    return Draft(
        event_id=event.event_id,
        type=event.type,
        payload=event.payload,
        occurred_at=event.occurred_at,
        visibility=event.visibility,
        schema_version=event.schema_version,
    )


def _described(event: Event) -> dict[str, Any]:  # a payload is any JSON object
    return {
        "seq": event.seq,
        "type": event.type,
        "event_id": event.event_id,
        "occurred_at": event.occurred_at,
        "visibility": event.visibility,
        "payload": event.payload,
    }
