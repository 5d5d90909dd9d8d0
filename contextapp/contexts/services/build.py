"""Builds the next input of a live agent: computed without a lock, committed before it is handed out, repeatable by its id."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid5

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contextapp.contexts.building import build_counted
from contextapp.contexts.documents import ledger_document
from contextapp.contexts.errors import BuildConflict, CannotBuild, HeadMoved, NotFound
from contextapp.contexts.loading import Place, load_inputs, profile_of
from contextapp.contexts.models import Ledger
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.packing import Body, unpack_blocks, unpack_body
from contextapp.contexts.selectors.blocks import stored_request
from contextapp.contexts.selectors.ledgers import columns_of
from contextapp.contexts.services import recent
from contextapp.contexts.services.blocks import keep_blocks
from contextapp.contexts.services.index import Run, advance
from contextapp.contexts.services.ledgers import Kept, block_digests, body_of_built, keep_ledgers
from contextapp.contexts.services.making_room import Room, make_room
from contextapp.contexts.services.recent import Recent
from contextapp.contexts.services.residue import SERIES_VALUES
from contextapp.contexts.tails import Tail
from contextapp.contexts.values import BuildOutcome
from contextapp.engine.events import CONTEXT_BUILT, TURN_COMPLETED
from contextapp.engine.inputs import BuildInputs, Built
from contextapp.engine.policy import Policy
from contextapp.engine.projection.state import SessionState
from contextapp.engine.values import Verdict
from contextapp.eventlog import services as log
from contextapp.eventlog.errors import EventIdConflict, SessionErased, WrongHead
from contextapp.eventlog.models import Session
from contextapp.eventlog.models.sessions import SessionOrigin
from contextapp.eventlog.values import Draft
from contextapp.memory.selectors import with_similarity
from contextapp.policy.selectors import active_policy

ATTEMPTS = 5  # builds from a newer head, while other writers append
OVERFLOWED = "overflowed"  # names the build that a summary then made room for


@dataclass(frozen=True, slots=True)
class _Call:
    """Who asked for which build. `retry_of`: the build that overflowed before the summary which made this one possible."""

    build_id: UUID
    actor: str
    api_key_id: UUID | None
    retry_of: UUID | None = None


def build_step(
    *, session_id: UUID, build_id: UUID, model: str | None = None, actor: str, api_key_id: UUID | None = None
) -> BuildOutcome:
    """The request and its ledger, both committed. The same build_id gives the same again, whoever asks and how often.

    One that overflows is kept under an id of its own where a summary of what is closed makes it fit; the summary is appended
    with it, and the build is made once more.
    """
    recorded, retry_of = _recorded(session_id, build_id, model)
    call = _Call(build_id, actor, api_key_id, retry_of)
    kept = None if recorded else recent.take(session_id)
    run, tail = (kept.run, kept.tail) if kept else (None, Tail(session_id))
    for _attempt in range(ATTEMPTS):
        if recorded is not None:
            return recorded
        session, run = _buildable(session_id, run)
        policy = active_policy(session.project_id)
        inputs = _gather(session, model or session.model, policy, run.state, tail, kept)
        built, counts = build_counted(inputs, policy)
        asked, summary = call, None
        if call.retry_of is not None:
            built = replace(built, header={**built.header, "retryOf": str(call.retry_of)})
        if built.verdict == Verdict.OVERFLOW:
            asked, built, summary = _or_make_room(call, session, inputs, policy, built)
        try:
            with transaction.atomic():
                ledger = _commit(session, asked, inputs, policy, built, counts.method, run, summary)
                counts.save()
        except (WrongHead, EventIdConflict):  # others appended meanwhile, or this very build was made beside us
            recorded, retry_of = _recorded(session_id, build_id, model)
            call = replace(call, retry_of=retry_of)
            continue
        if summary is not None:
            call = replace(call, retry_of=asked.build_id)
            continue
        recent.give(session_id, Recent(run, tail, inputs.step, block_digests(built) if built.request else ()))
        return _outcome(ledger, body_of_built(built, counts.method), built)
    raise HeadMoved(
        _("session %(session)s kept growing while %(attempts)s builds were made; stop appending and send it again")
        % {"session": session_id, "attempts": ATTEMPTS}
    )


def _or_make_room(
    call: _Call, session: Session, inputs: BuildInputs, policy: Policy, built: Built
) -> tuple[_Call, Built, Draft | None]:
    """The overflow as it is kept, and the summary that is appended with it, if one helps. Never a second time."""
    if call.retry_of is not None:
        room = Room(
            None, {"tried": True, "reason": "still_too_large", "detail": "events came between summary and build"}
        )
    else:
        room = make_room(session.id, inputs, policy)
    kept = replace(call, build_id=uuid5(call.build_id, OVERFLOWED)) if room.summary else call
    return kept, replace(built, header={**built.header, "compaction": room.told}), room.summary


def _buildable(session_id: UUID, run: Run | None) -> tuple[Session, Run]:
    """The session with its index at the head, asked of the database each time, and the run that stands there."""
    try:
        advanced = advance(session_id, run, begins=True)
    except Session.DoesNotExist as error:
        raise NotFound(_("there is no session %(session)s") % {"session": session_id}) from error
    session = advanced.session
    if session.erased_at is not None:
        raise SessionErased(session_id)
    if advanced.run is None or session.origin == SessionOrigin.IMPORT:
        raise CannotBuild(
            _("this session was imported, so no agent waits for its input; simulate a step of it instead")
        )
    return session, advanced.run


def _gather(
    session: Session, model: str, policy: Policy, state: SessionState, tail: Tail, kept: Recent | None
) -> BuildInputs:
    if kept is not None and kept.step == session.step_count:
        previous = kept.blocks
    else:
        previous = _blocks_of_step(session)
    place = Place(
        step=session.step_count + 1,
        turn=0,
        log_seq=session.indexed_seq,
        as_of=timezone.now().isoformat(),
    )
    profile = profile_of(session, model)
    inputs = load_inputs(session, place, profile, policy, state=state, previous_blocks=previous, tail=tail)
    goal = inputs.state.goal
    if goal is not None and inputs.memory:
        asked = f"{goal.latest_text}\n{goal.text}" if goal.latest_text != goal.text else goal.text
        inputs = replace(inputs, memory=with_similarity(session.project_id, inputs.memory, asked))
    return replace(inputs, turn=inputs.state.turn)


def _blocks_of_step(session: Session) -> tuple[tuple[str, int], ...]:
    """What was sent at the newest step; nothing when that was no build of ours."""
    sent = Ledger.objects.filter(step__session=session, step__number=session.step_count, origin=Origin.BUILT)
    body = sent.order_by("id").values_list("body__rows", flat=True).first()
    return unpack_blocks(body) if body else ()


def _commit(
    session: Session, call: _Call, inputs: BuildInputs, policy: Policy, built: Built, method: str, run: Run,
    summary: Draft | None,
) -> Ledger:  # fmt: skip
    """Event, step, ledger and blocks, or nothing. The head must still be where the inputs were read."""
    log.append(
        session_id=session.id,
        drafts=_drafts(call, built, summary),
        actor=call.actor,
        api_key_id=call.api_key_id,
        expected_seq=inputs.state.seq,
    )
    advanced = advance(session.id, run)
    kept = Kept(run.steps[inputs.step], built, method, call.build_id, recorded_inputs(inputs, policy))
    [ledger] = keep_ledgers(origin=Origin.BUILT, policy=policy, kept=[kept])
    if built.request is not None:
        keep_blocks(
            session=session,
            blocks=built.request.blocks,
            digests=[digest for digest, _tokens in block_digests(built)],
            known={digest for digest, _tokens in inputs.previous_blocks},
        )
    _extend_series(advanced.session, built)
    return ledger


def _extend_series(session: Session, built: Built) -> None:
    """The bar of the session's row, which is locked: per mille of the window at the newest builds."""
    filled = min(1000, 1000 * built.ledger.total_tokens // max(built.ledger.window_tokens, 1))
    Session.objects.filter(id=session.id).update(fill_series=[*session.fill_series, filled][-SERIES_VALUES:])


def _drafts(call: _Call, built: Built, summary: Draft | None) -> list[Draft]:
    """That it was built; then the summary that makes room, or, where nothing does, the end of the turn."""
    now, build_id = timezone.now(), call.build_id
    payload = {**built.header, "verdict": built.verdict.value, "buildId": str(build_id)}
    drafts = [Draft(event_id=uuid5(build_id, CONTEXT_BUILT), type=CONTEXT_BUILT, payload=payload, occurred_at=now)]
    if summary is not None:
        drafts.append(replace(summary, occurred_at=now))
    elif built.verdict == Verdict.OVERFLOW:
        ended = {"stop_reason": "error", "error_code": Verdict.OVERFLOW.value}
        drafts.append(
            Draft(event_id=uuid5(build_id, TURN_COMPLETED), type=TURN_COMPLETED, payload=ended, occurred_at=now)
        )
    return drafts


def recorded_inputs(inputs: BuildInputs, policy: Policy) -> dict[str, Any]:
    """What has to be known, beside the log and the versions it names, to make the request again. Holds no content."""
    profile = inputs.profile
    return {
        "step": inputs.step,
        "turn": inputs.turn,
        "log_seq": inputs.state.seq,
        "as_of": inputs.as_of,
        "policy": policy.number,
        "model": profile.model,
        "window_tokens": profile.window_tokens,
        "calibration": profile.calibration,
        "tokenizer": profile.tokenizer,
        "workspace_root": inputs.workspace_root,
        "user": inputs.user,
        "memory": [
            {
                "reference": revision.reference,
                "state": revision.state,
                "valid_from": revision.valid_from,
                "valid_until": revision.valid_until,
                "last_verified_at": revision.last_verified_at,
                **({} if revision.similarity is None else {"similarity": revision.similarity}),
            }
            for revision in inputs.memory
        ],
        "previous_blocks": inputs.previous_blocks,
    }


def _recorded(session_id: UUID, build_id: UUID, model: str | None) -> tuple[BuildOutcome | None, UUID | None]:
    """What that id was answered, if it was; else the overflow that was made room for under it, if the answer got lost then."""
    overflowed = uuid5(build_id, OVERFLOWED)
    wanted = Ledger.objects.filter(session_id=session_id, build_id__in=[build_id, overflowed])
    found = {ledger.build_id: ledger for ledger in wanted.select_related("body", "step__turn")}
    ledger = found.get(build_id)
    if ledger is None:
        return None, overflowed if found else None
    if model is not None and model != ledger.header.get("modelId"):
        raise BuildConflict(
            _("build_id %(build)s was used for model %(model)s; give another build its own id")
            % {"build": build_id, "model": ledger.header.get("modelId")}
        )
    return _outcome(ledger, unpack_body(ledger.body.rows)), None


def _outcome(ledger: Ledger, body: Body, built: Built | None = None) -> BuildOutcome:
    if built is not None:
        request = built.request
    else:
        request = stored_request(ledger, body) if ledger.verdict == Verdict.OK else None
    return BuildOutcome(
        session_id=ledger.session_id,
        step=ledger.step_number,
        turn=ledger.step.turn.number,
        verdict=ledger.verdict,
        request=request,
        request_sha256=ledger.request_sha256,
        ledger_id=ledger.id,
        ledger=ledger_document(columns_of(ledger), body),
        overflow=body.overflow,
        compaction=ledger.header.get("compaction"),
        is_repeated=built is None,
    )
