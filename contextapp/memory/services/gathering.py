"""Candidates out of sessions: what agents propose in their events, and what the extractors read. Jobs, and each may be
run again: the same claim is one record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from contextapp.accounts.services import record
from contextapp.engine.events import MEMORY_PROPOSED, Event
from contextapp.eventlog.models import Event as EventRecord
from contextapp.eventlog.models import Session
from contextapp.eventlog.models.sessions import SessionOrigin
from contextapp.eventlog.selectors import get_events, iter_events
from contextapp.jobs.handle import JobHandle
from contextapp.jobs.services import enqueue
from contextapp.memory.errors import BadProposal, MemoryRefused
from contextapp.memory.evidence import Span
from contextapp.memory.extracting import EXTRACTORS, Extractor, Found, extract
from contextapp.memory.extracting.llm import configured
from contextapp.memory.models import MemoryGathered, MemoryScope, ProposerKind
from contextapp.memory.services.proposing import propose, spans_from

TAKE_PROPOSALS, EXTRACT = "memory.take_proposals", "memory.extract"
LIVE_DELAY = timedelta(minutes=5)  # a session that goes on is read again at most that often
MOST_EVENTS = 20_000


def request_gathering(*, session: Session) -> None:
    """Called by whoever indexed the session. Governance streams and samples propose nothing."""
    if session.origin in (SessionOrigin.GOVERNANCE, SessionOrigin.SAMPLE) or session.erased_at is not None:
        return
    mark = MemoryGathered.objects.filter(session_id=session.id).first() or MemoryGathered(session_id=session.id)
    if mark.looked_seq >= session.indexed_seq:
        return
    new = EventRecord.objects.filter(session_id=session.id, seq__gt=mark.looked_seq, seq__lte=session.indexed_seq)
    has_proposals = new.filter(type=MEMORY_PROPOSED).exists()
    mark.looked_seq = session.indexed_seq
    mark.save()
    common: dict[str, Any] = {
        "key": str(session.id),
        "payload": {"session": str(session.id)},
        "project_id": session.project_id,
    }
    if has_proposals:
        enqueue(kind=TAKE_PROPOSALS, **common)
    if settings.MEMORY_EXTRACTION:
        is_over = session.origin == SessionOrigin.IMPORT or session.ended_at is not None
        enqueue(kind=EXTRACT, not_before=None if is_over else timezone.now() + LIVE_DELAY, **common)


def take_proposals_job(job: JobHandle) -> None:
    take_proposals(session_id=UUID(job.payload["session"]))


def extract_job(job: JobHandle) -> None:
    extract_candidates(session_id=UUID(job.payload["session"]))


def take_proposals(*, session_id: UUID) -> int:
    """The `memory.proposed` events that were not taken yet; how many made or strengthened a record."""
    session = Session.objects.select_related("project", "workspace").get(id=session_id)
    mark, _is_new = MemoryGathered.objects.get_or_create(session_id=session_id)
    seqs = EventRecord.objects.filter(session_id=session_id, type=MEMORY_PROPOSED, seq__gt=mark.proposals_seq)
    taken = 0
    for event in get_events(session_id, seqs=sorted(seqs.values_list("seq", flat=True))):
        taken += _take(session, event)
        MemoryGathered.objects.filter(pk=mark.pk, proposals_seq__lt=event.seq).update(proposals_seq=event.seq)
    return taken


def extract_candidates(*, session_id: UUID, extractors: Sequence[Extractor] | None = None) -> int:
    """Read the session with the extractors that are on; how many claims made or strengthened a record."""
    session = Session.objects.select_related("project", "workspace").get(id=session_id)
    if session.erased_at is not None:
        return 0
    events = list(_newest(session_id))
    chosen = tuple(extractors) if extractors is not None else (*EXTRACTORS, *configured())
    return sum(_propose_found(session, name, found) for name, found in extract(events, chosen))


def _newest(session_id: UUID) -> Iterator[Event]:
    head = EventRecord.objects.filter(session_id=session_id).order_by("-seq").values_list("seq", flat=True).first() or 0
    yield from iter_events(session_id, after_seq=max(0, head - MOST_EVENTS))


def _take(session: Session, event: Event) -> int:
    payload = event.payload
    if payload.get("erased") is True:
        return 0
    scope = str(payload.get("scope") or MemoryScope.SESSION)
    try:
        spans = spans_from(_with_session(payload.get("evidence"), session.id))
        proposed = propose(
            project=session.project,
            claim=str(payload.get("claim") or ""),
            kind=str(payload.get("kind") or "fact"),
            scope=scope,
            scope_key=str(payload.get("scope_key") or _key_of(session, scope)),
            spans=spans,
            basis=str(payload.get("basis") or ("stated" if spans else "inferred")),
            proposed_by=f"agent:{session.agent or 'unknown'}",
            proposer_kind=ProposerKind.AGENT,
            proposer_model=session.model,
            model_confidence=_number(payload.get("confidence")),
            source=f"event {event.seq} of {session.title or session.id}",
            conflict_key=str(payload.get("conflict_key") or ""),
            value=str(payload.get("value") or ""),
            proposed_session=session.id,
            proposed_seq=event.seq,
        )
    except MemoryRefused as refused:
        _note_refusal(session, f"agent:{session.agent or 'unknown'}", event.seq, refused)
        return 0
    return int(proposed.revision is not None)


def _propose_found(session: Session, name: str, found: Found) -> int:
    scope, key = found.scope, _key_of(session, found.scope)
    if not key:
        scope, key = MemoryScope.SESSION, str(session.id)  # without a workspace it holds for this run alone
    spans = [Span(session.id, place.seq, place.field, place.start, place.end) for place in found.places]
    try:
        proposed = propose(
            project=session.project,
            claim=found.claim,
            kind=found.kind,
            scope=scope,
            scope_key=key,
            spans=spans,
            basis=found.basis,
            proposed_by=name,
            proposer_kind=ProposerKind.EXTRACTOR,
            source=f"read from {session.title or session.id}",
            conflict_key=found.conflict_key,
            value=found.value,
            proposed_session=session.id,
            proposed_seq=found.places[0].seq,
        )
    except MemoryRefused as refused:
        _note_refusal(session, name, found.places[0].seq, refused)
        return 0
    return int(proposed.revision is not None)


def _key_of(session: Session, scope: str) -> str:
    if scope == MemoryScope.SESSION:
        return str(session.id)
    if scope == MemoryScope.WORKSPACE:
        return session.workspace.root if session.workspace else ""
    return ""


def _with_session(given: object, session_id: UUID) -> list[dict[str, object]]:
    """Evidence of an event names places of its own session, unless it says another."""
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise BadProposal("evidence", "evidence is a list of objects with seq, and optionally field, start and end")
    return [{"session": str(session_id), **entry} for entry in given]


def _note_refusal(session: Session, by: str, seq: int, refused: MemoryRefused) -> None:
    """A refused proposal is named, never dropped; the claim itself is not repeated."""
    after = {"why": refused.code, "session": str(session.id), "seq": seq, "message": str(refused)[:200]}
    record(project=session.project, actor=by, action="memory.refused", target=f"session:{session.id}", after=after)


def _number(given: object) -> float | None:
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 1 else None
