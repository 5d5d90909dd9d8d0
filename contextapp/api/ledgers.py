"""What a step's input holds and why, how two steps differ, the request itself, and the fate of a text over all steps."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from contextapp.accounts import permissions
from contextapp.api.access import session_of
from contextapp.api.cursors import Origin
from contextapp.api.forms import in_form
from contextapp.api.keys import KeyAuth, key_of
from contextapp.api.problems import READ_PROBLEMS, Problem, ProblemOut
from contextapp.api.step_schemas import (
    BucketChangeOut,
    ChangeOut,
    DiffOut,
    DiffQuery,
    FateOut,
    FateRunOut,
    Format,
    LedgerOut,
    RequestOut,
    WhyOut,
    WhyQuery,
)
from contextapp.contexts import errors, selectors
from contextapp.contexts.values import RowChange

router = Router(tags=["steps"])


@router.get(
    "/sessions/{uuid:session_id}/steps/{int:number}/ledger",
    operation_id="get_ledger",
    summary="Read the ledger of a step",
    auth=KeyAuth("ledger.read"),
    response={200: LedgerOut, **READ_PROBLEMS},
)
def get_ledger(request: HttpRequest, session_id: UUID, number: int, origin: Origin | None = None) -> LedgerOut:
    """Without `origin`: what was built, else what was observed, else what was simulated."""
    session = session_of(key_of(request), session_id)
    try:
        return LedgerOut(**selectors.ledger_json(session.id, number, origin))
    except errors.NotFound as error:
        raise Problem(404, "ledger_not_found", str(error)) from error


@router.get(
    "/sessions/{uuid:session_id}/steps/{int:number}/diff",
    operation_id="diff_steps",
    summary="Compare two steps, or two origins of one",
    auth=KeyAuth("ledger.read"),
    response={200: DiffOut, **READ_PROBLEMS},
)
def diff_steps(request: HttpRequest, session_id: UUID, number: int, wanted: Query[DiffQuery]) -> DiffOut:
    """What was added, removed, changed in form, or moved, each with its tokens."""
    session = session_of(key_of(request), session_id)
    try:
        found = selectors.compare_steps(
            session.id, number, other=wanted.other, origin=wanted.origin, other_origin=wanted.with_origin
        )
    except errors.NotFound as error:
        raise Problem(404, "ledger_not_found", str(error)) from error
    moved = [change for change in found.changed if _is_moved(change)]
    return DiffOut(
        step=found.step,
        other=found.other,
        origin=found.origin,
        other_origin=found.other_origin or found.origin,
        added=_changes(found.entered),
        removed=_changes(found.left),
        changed=_changes(change for change in found.changed if not _is_moved(change)),
        moved=_changes(moved),
        unchanged=found.unchanged_count,
        total_before=found.total_before,
        total_after=found.total_after,
        token_delta=found.total_after - found.total_before,
        first_changed_token=found.same_prefix_tokens,
        buckets=[BucketChangeOut(bucket=name, used_before=a, used_after=b) for name, a, b in found.buckets],
        message=found.message,
    )


@router.get(
    "/sessions/{uuid:session_id}/steps/{int:number}/request",
    operation_id="get_request",
    summary="Read the request of a step, checked",
    auth=KeyAuth(permissions.READ),
    response={200: RequestOut, **READ_PROBLEMS, 409: ProblemOut},
)
def get_request(
    request: HttpRequest, session_id: UUID, number: int, format: Format = "neutral", origin: Origin | None = None
) -> RequestOut:
    """The stored blocks against their hash, and against a new build from the recorded inputs."""
    session = session_of(key_of(request), session_id)
    try:
        found = selectors.step_request(session.id, number, origin)
    except errors.NotFound as error:
        raise Problem(404, "ledger_not_found", str(error)) from error
    except errors.CannotBuild as error:
        raise Problem(409, "no_request", str(error)) from error
    return RequestOut(
        step=number,
        origin=found.origin,
        format=format,
        request_sha256=found.request.sha256,
        recorded_sha256=found.recorded_sha256,
        same_bytes=found.same_bytes,
        difference=found.difference,
        detail=found.detail,
        request=in_form(found.request, format),
    )


@router.get(
    "/sessions/{uuid:session_id}/why",
    operation_id="ask_why",
    summary="Ask what became of a text or a source",
    auth=KeyAuth(permissions.READ),
    response={200: WhyOut, **READ_PROBLEMS},
)
def get_why(request: HttpRequest, session_id: UUID, wanted: Query[WhyQuery]) -> WhyOut:
    """At each step, with steps of the same fate as one run. A text is sought literally, white space taken as one space."""
    session = session_of(key_of(request), session_id)
    if bool(wanted.text.strip()) == bool(wanted.source):
        raise Problem(422, "invalid_field", "give exactly one of text and source", field="text")
    try:
        found = selectors.why(
            session.id,
            text=wanted.text if wanted.text.strip() else None,
            source_id=wanted.source or None,
            step=wanted.step,
            origin=wanted.origin,
            after=wanted.after,
            limit=wanted.limit,
            ignore_case=wanted.ignore_case,
        )
    except errors.NotFound as error:
        raise Problem(404, "ledger_not_found", str(error)) from error
    runs = [
        FateRunOut(
            first_step=run.first_step,
            last_step=run.last_step,
            status=run.status,
            fates=[
                FateOut(
                    action=fate.row.action,
                    mode=fate.row.mode,
                    reason=fate.row.reason,
                    sentence=fate.sentence,
                    displaced_by=fate.row.displaced_by,
                    row=fate.row.to_dict(),
                )
                for fate in run.fates
            ],
        )
        for run in found.runs
    ]
    return WhyOut(
        origin=found.origin,
        seqs=list(found.seqs),
        total_events=found.total_events,
        runs=runs,
        step_count=found.step_count,
        next_after=found.next_after,
    )


def _is_moved(change: RowChange) -> bool:
    """The same form and weight at another place."""
    if change.before is None or change.after is None:
        return False
    before, after = change.before.row, change.after.row
    return (before.mode, before.after_tokens, before.action) == (after.mode, after.after_tokens, after.action)


def _changes(changes: Iterable[RowChange]) -> list[ChangeOut]:
    made = []
    for change in changes:
        shown = change.after or change.before
        made.append(
            ChangeOut(
                source_id=shown.row.source_id if shown else "",
                title=change.title,
                token_delta=change.token_change,
                before=change.before.row.to_dict() if change.before else None,
                after=change.after.row.to_dict() if change.after else None,
            )
        )
    return made
