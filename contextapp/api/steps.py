"""Steps: build the input of the next model call, and read what any step's input holds and why."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from ninja import Router

from contextapp.accounts import permissions
from contextapp.api.access import session_of
from contextapp.api.cursors import After, Limit
from contextapp.api.forms import in_form
from contextapp.api.keys import KeyAuth, actor, key_of
from contextapp.api.problems import READ_PROBLEMS, WRITE_PROBLEMS, Problem
from contextapp.api.step_schemas import BuiltOut, StepIn, StepOut, StepsOut, VerdictOut
from contextapp.contexts import errors, selectors, services
from contextapp.contexts.values import BuildOutcome, StepEntry
from contextapp.eventlog import services as log
from contextapp.eventlog.errors import SessionErased

router = Router(tags=["steps"])


@router.post(
    "/sessions/{uuid:session_id}/steps",
    operation_id="build_step",
    summary="Build the next model input",
    auth=KeyAuth(permissions.BUILD),
    response={200: BuiltOut, **WRITE_PROBLEMS},
)
def build_step(request: HttpRequest, session_id: UUID, given: StepIn) -> BuiltOut:
    """Committed before it is answered. A retry with the same `build_id` gets the same request and ledger."""
    session = session_of(key_of(request), session_id)
    try:
        outcome = services.build_step(
            session_id=session.id,
            build_id=given.build_id,
            model=given.model or None,
            actor=actor(request),
            api_key_id=key_of(request).id,
        )
    except errors.CannotBuild as error:
        raise Problem(422, "cannot_build", str(error)) from error
    except errors.BuildConflict as error:
        raise Problem(409, "build_id_conflict", str(error), field="build_id") from error
    except errors.HeadMoved as error:
        raise Problem(503, "head_moved", str(error)) from error
    except SessionErased as error:
        raise Problem(409, "session_erased", str(error)) from error
    if outcome.request is None:
        raise _overflow(outcome)
    return BuiltOut(
        step=outcome.step,
        turn=outcome.turn,
        build_id=given.build_id,
        request_sha256=outcome.request.sha256,
        format=given.format,
        request=in_form(outcome.request, given.format),
        ledger=dict(outcome.ledger),
    )


@router.get(
    "/sessions/{uuid:session_id}/steps",
    operation_id="list_steps",
    summary="List steps",
    auth=KeyAuth("ledger.read"),
    response={200: StepsOut, **READ_PROBLEMS},
)
def list_steps(request: HttpRequest, session_id: UUID, after: After = 0, limit: Limit = 50) -> StepsOut:
    """By number. `origins` says which ledgers a step has."""
    session = session_of(key_of(request), session_id)
    page = selectors.list_steps(session.id, after=after, limit=limit)
    return StepsOut(steps=[_described(step) for step in page.steps], next_after=page.next_after, total=page.total)


@router.get(
    "/sessions/{uuid:session_id}/steps/{int:number}",
    operation_id="get_step",
    summary="Read a step",
    auth=KeyAuth("ledger.read"),
    response={200: StepOut, **READ_PROBLEMS},
)
def get_step(request: HttpRequest, session_id: UUID, number: int) -> StepOut:
    session = session_of(key_of(request), session_id)
    try:
        return _described(selectors.get_step(session.id, number))
    except errors.NotFound as error:
        raise Problem(404, "step_not_found", str(error)) from error


@router.post(
    "/sessions/{uuid:session_id}/verify",
    operation_id="verify_session",
    summary="Verify the record of a session",
    auth=KeyAuth(permissions.VERIFY, is_json=False),
    response={200: VerdictOut, **READ_PROBLEMS},
)
def verify_session(request: HttpRequest, session_id: UUID) -> VerdictOut:
    """Now, from its first event on; needs no body. A bad verdict is an answer, not an error."""
    session = session_of(key_of(request), session_id)
    found = log.verify_session(session.id)
    plain = {name: getattr(found, name) for name in VerdictOut.model_fields if name != "head_hash"}
    return VerdictOut(**plain, head_hash=found.head_hash.hex())


def _described(step: StepEntry) -> StepOut:
    return StepOut(**{name: getattr(step, name) for name in StepOut.model_fields})


def _overflow(outcome: BuildOutcome) -> Problem:
    found = dict(outcome.overflow or {})
    detail = (
        f"bucket {found.get('bucket')} needs {found.get('required_tokens')} tokens and has {found.get('available_tokens')}"
        f" ({found.get('kind')}); the floor is {found.get('floor_tokens')}; see ways_out"
    )
    return Problem(
        422,
        "context_overflow",
        detail,
        step=outcome.step,
        turn=outcome.turn,
        ledger=outcome.ledger,
        compaction=outcome.compaction,
        **found,
    )
