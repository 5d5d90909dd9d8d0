"""Steps: build the input of the next model call, and read what any step's input holds and why."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from ninja import Router

from contextapp.accounts import permissions
from contextapp.api.access import session_of
from contextapp.api.cursors import After, Limit
from contextapp.api.keys import KeyAuth, actor, key_of
from contextapp.api.problems import READ_PROBLEMS, WRITE_PROBLEMS, Problem
from contextapp.api.schemas import BuiltOut, StepIn, StepOut, StepsOut
from contextapp.contexts import errors, selectors, services
from contextapp.contexts.values import BuildOutcome
from contextapp.engine.request import anthropic, neutral, openai, responses
from contextapp.eventlog.errors import SessionErased

router = Router(tags=["steps"])
RENDERERS = {"openai": openai.render, "responses": responses.render, "anthropic": anthropic.render}


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
        request=_rendered(outcome.request, given.format),
        ledger=outcome.ledger,
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
    steps = [StepOut(**{name: getattr(step, name) for name in StepOut.model_fields}) for step in page.steps]
    return StepsOut(steps=steps, next_after=page.next_after, total=page.total)


@router.get(
    "/sessions/{uuid:session_id}/steps/{int:number}/ledger",
    operation_id="get_ledger",
    summary="Read the ledger of a step",
    auth=KeyAuth("ledger.read"),
    response={200: dict[str, Any], **READ_PROBLEMS},
)
def get_ledger(
    request: HttpRequest,
    session_id: UUID,
    number: int,
    origin: Literal["built", "observed", "simulated"] | None = None,
) -> dict[str, Any]:  # docs/ledger.md
    """Without `origin`: what was built, else what was observed, else what was simulated."""
    session = session_of(key_of(request), session_id)
    try:
        return selectors.ledger_json(session.id, number, origin)
    except errors.NotFound as error:
        raise Problem(404, "ledger_not_found", str(error)) from error


def _rendered(built: neutral.ModelRequest, form: str) -> dict[str, Any]:  # the form that was asked for
    if form in RENDERERS:
        return RENDERERS[form](built)
    blocks = [{**asdict(block), "digest": block.digest} for block in built.blocks]
    return {"model": built.model, "max_output_tokens": built.max_output_tokens, "blocks": blocks}


def _overflow(outcome: BuildOutcome) -> Problem:
    found = dict(outcome.overflow or {})
    detail = (
        f"bucket {found.get('bucket')} needs {found.get('required_tokens')} tokens and has {found.get('available_tokens')}"
        f" ({found.get('kind')}); the floor is {found.get('floor_tokens')}; see ways_out"
    )
    return Problem(
        422, "context_overflow", detail, step=outcome.step, turn=outcome.turn, ledger=outcome.ledger, **found
    )
