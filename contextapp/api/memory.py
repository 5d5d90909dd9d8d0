"""Memory: propose, list, read, export with a key; decide as a person. Only translates: the rules are those of the desk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from django.http import HttpRequest, StreamingHttpResponse
from ninja import Query, Router, Status

from contextapp.accounts import permissions
from contextapp.api.keys import KeyAuth, actor, key_of
from contextapp.api.memory_schemas import (
    DecidedOut,
    DecisionIn,
    ExportQuery,
    MemoriesOut,
    MemoryOut,
    MemoryQuery,
    ProposalIn,
    ProposedOut,
)
from contextapp.api.people import PersonAuth
from contextapp.api.problems import READ_PROBLEMS, WRITE_PROBLEMS, Problem
from contextapp.memory import errors, selectors, services

router = Router(tags=["memory"])


@router.post(
    "/memory",
    operation_id="propose_memory",
    summary="Propose a memory record",
    auth=KeyAuth(permissions.PROPOSE_MEMORY),
    response={200: ProposedOut, 201: ProposedOut, **WRITE_PROBLEMS},
)
def propose_memory(request: HttpRequest, given: ProposalIn) -> Status[ProposedOut]:
    """201 with a new candidate, or a quarantined one; 200 when it is known. No model gets it before people approve it."""
    key = key_of(request)
    fields = given.model_dump(exclude={"candidate_id", "evidence", "model", "confidence", "source"})
    try:
        made = services.propose(
            project=key.project,
            client_id=given.candidate_id,
            spans=services.spans_from([span.model_dump() for span in given.evidence]),
            source=given.source or "the API",
            proposed_by=actor(request),
            proposer_kind="key",
            proposer_model=given.model,
            model_confidence=given.confidence,
            **fields,
        )
    except errors.BadProposal as error:
        raise Problem(422, "invalid_field", str(error), field=error.field) from error
    except errors.SecretInClaim as error:
        raise Problem(422, error.code, str(error), field="claim") from error
    except errors.CandidateIdTaken as error:
        raise Problem(409, error.code, str(error), field="candidate_id") from error
    return Status(201 if made.outcome == "created" else 200, _proposed(made))


@router.get(
    "/memory",
    operation_id="list_memory",
    summary="List memory records, newest first",
    auth=KeyAuth(permissions.READ),
    response={200: MemoriesOut, **READ_PROBLEMS},
)
def list_memory(request: HttpRequest, wanted: Query[MemoryQuery]) -> MemoriesOut:
    cursor = wanted.cursor
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise Problem(422, "invalid_field", "this is no cursor; give `next_cursor` of the page before", field="cursor")
    records, following = selectors.list_records(
        key_of(request).project_id,
        before=int(cursor) if cursor else None,
        **wanted.model_dump(exclude={"cursor"}),
    )
    return MemoriesOut(records=records, next_cursor=str(following) if following else None)


@router.get(
    "/memory/export",
    operation_id="export_memory",
    summary="Export memory, the approved unless a state is named, a JSON object a line",
    auth=KeyAuth(permissions.READ, is_json=False),
    response=READ_PROBLEMS,
    openapi_extra={
        "responses": {
            200: {"description": "NDJSON", "content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
        }
    },
)
def export_memory(request: HttpRequest, wanted: Query[ExportQuery]) -> StreamingHttpResponse:
    project_id = key_of(request).project_id

    def lines() -> Iterator[bytes]:
        for entry in services.export_memory(project_id=project_id, states=(wanted.state,), kind=wanted.kind):
            yield orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_SORT_KEYS)

    return StreamingHttpResponse(lines(), content_type="application/x-ndjson")


@router.get(
    "/memory/{int:record_id}",
    operation_id="get_memory",
    summary="Read a memory record with its history",
    auth=KeyAuth(permissions.READ),
    response={200: MemoryOut, **READ_PROBLEMS},
)
def get_memory(request: HttpRequest, record_id: int) -> MemoryOut:
    return MemoryOut(**selectors.record_with_history(_record(key_of(request), record_id)))


@router.post(
    "/memory/{int:record_id}/decide",
    operation_id="decide_memory",
    summary="Decide on a memory record, as a person",
    auth=PersonAuth(permissions.REVIEW_MEMORY),
    response={200: DecidedOut, **WRITE_PROBLEMS},
)
def decide_memory(request: HttpRequest, record_id: int, given: DecisionIn) -> DecidedOut:
    """With a login session and its CSRF token; a key is answered 403. The rules of two people are those of the desk."""
    record = _record(request.user, record_id)
    look = services.Look(given.version, bytes.fromhex(given.shown_sha256), given.ms_on_screen, given.evidence_opened)
    more: dict[str, Any] = {"note": given.note}  # keywords of the service
    if given.action == "approve":
        more |= {"supersede": given.supersede, "valid_until": given.valid_until, "sure": given.sure}
    elif given.action in ("reject", "quarantine", "revoke"):
        more["reason_code"] = given.reason_code
    try:
        decided = getattr(services, given.action)(revision_id=record.pk, reviewer=request.user, look=look, **more)
    except errors.MemoryRefused as error:
        raise _refused(record, error) from error
    return DecidedOut(record=selectors.record_as_json(decided))


def _refused(record: Any, error: errors.MemoryRefused) -> Problem:  # a record; doors don't name models
    if isinstance(error, (errors.Stale, errors.AlreadyDecided)):
        record.refresh_from_db()
        return Problem(409, error.code, str(error), version=record.version, state=record.state)
    status = 403 if isinstance(error, (errors.NotAReviewer, errors.OwnProposal, errors.SecondPersonNeeded)) else 422
    return Problem(status, error.code, str(error), field=getattr(error, "field", None))


def _record(reader: Any, record_id: int) -> Any:  # a key or a person, and a record; doors don't name models
    found = selectors.record_for(reader, record_id)
    if found is None:
        raise Problem(404, "memory_not_found", f"there is no memory record {str(record_id)[:30]} that you may see")
    return found


def _proposed(made: services.Proposed) -> ProposedOut:
    record = made.revision
    return ProposedOut(
        outcome=made.outcome,
        id=record.pk if record else None,
        reference=record.reference if record else None,
        state=record.state if record else None,
        version=record.version if record else None,
        findings=record.findings if record else [],
        evidence_checks=record.evidence_checks if record else {},
    )
