"""Telemetry into the log: the spans of one delivery, compared with what is stored, appended if that stood still meanwhile.
Keeps nothing between deliveries; what it needs to know it asks the log."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Q, QuerySet

from contextapp.contexts.services import request_index
from contextapp.engine import events as kinds
from contextapp.eventlog import selectors as log
from contextapp.eventlog.errors import DraftRefused, EventIdConflict, SessionErased, UnknownSession, WrongHead
from contextapp.eventlog.models import Event, Head, Session
from contextapp.eventlog.services import append, open_session, update_session_facts
from contextapp.eventlog.values import Draft
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.otlp.chain import trace_id
from contextapp.importers.otlp.facts import MARK
from contextapp.importers.otlp.stream import CALL_RECORD, Stored, Stream
from contextapp.importers.otlp.telling import Teller
from contextapp.importers.otlp.values import Reading, Span
from contextapp.intake.errors import TelemetryBusy

logger = logging.getLogger(__name__)

ATTEMPTS = 6
LOOK_BACK = 20
MOST_REFUSED = 50
NAMED_REASONS = 5
NOT_OURS = "no attribute of a model, an agent or a tool"


@dataclass(slots=True)
class Taken:
    """What became of a delivery: how many records were not taken, and why."""

    rejected: int = 0
    reasons: list[str] = field(default_factory=list)
    sessions: set[UUID] = field(default_factory=set)

    def reject(self, reason: str) -> None:
        self.rejected += 1
        if reason not in self.reasons:
            self.reasons.append(reason)

    @property
    def message(self) -> str:
        more = len(self.reasons) - NAMED_REASONS
        return "; ".join([*self.reasons[:NAMED_REASONS], *([f"and {more} more reasons"] if more > 0 else [])])


@dataclass(frozen=True, slots=True)
class Sender:
    project_id: UUID
    actor: str
    api_key_id: UUID | None = None


def take_telemetry(
    *, sender: Sender, found: Iterable[Span | UnfitLine], read: Callable[[Span], Reading | None]
) -> Taken:
    """Everything that can be told is in the log when this returns; what can't be is counted and named."""
    taken = Taken()
    readings: list[tuple[Span, Reading]] = []
    for span in found:
        reading = span if isinstance(span, UnfitLine) else _read(span, read)
        if isinstance(reading, UnfitLine):
            taken.reject(str(reading))
        elif isinstance(span, Span):
            readings.append((span, reading))
    readings.sort(key=lambda pair: (pair[0].start_ns, pair[0].end_ns))
    refused: set[int] = set()
    for attempt in range(ATTEMPTS + MOST_REFUSED):
        left = [pair for number, pair in enumerate(readings) if number not in refused]
        try:
            _deliver(sender, left, taken)
        except _Refused as refusal:
            if len(refused) >= MOST_REFUSED:
                break
            refused.add(readings.index(refusal.pair))
            taken.reject(refusal.reason)
        except (EventIdConflict, WrongHead, SessionErased, UnknownSession):
            if attempt - len(refused) >= ATTEMPTS:
                break
            time.sleep(random.uniform(0.01, 0.05) * (attempt + 1))  # another delivery writes to the same sessions
        else:
            return taken
    raise TelemetryBusy("the sessions of this delivery are being written to; send it again, it is stored once")


def _read(span: Span, read: Callable[[Span], Reading | None]) -> Reading | UnfitLine:
    """The edge of one record: whatever is odd in it, the others are taken."""
    try:
        return read(span) or UnfitLine("not_genai", detail=NOT_OURS)
    except UnfitLine as unfit:
        return unfit
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        logger.exception("record %s of a delivery could not be read", span.identity)
        return UnfitLine("unreadable", detail=type(error).__name__)


class _Refused(Exception):
    def __init__(self, pair: tuple[Span, Reading], reason: str) -> None:
        super().__init__(reason)
        self.pair, self.reason = pair, reason


def _deliver(sender: Sender, readings: Sequence[tuple[Span, Reading]], taken: Taken) -> None:
    stored = StoredLog(sender.project_id)
    teller = Teller(stored)
    teller.learn([span for span, _ in readings])
    owners: dict[tuple[str, UUID], tuple[Span, Reading]] = {}
    for span, reading in readings:
        try:
            told = teller.take(span, reading)
        except UnfitLine as unfit:
            raise _Refused((span, reading), str(unfit)) from unfit
        if told is not None:
            stream, waiting = told
            owners |= {(stream.key, event.event_id): (span, reading) for event in waiting}
    stored.check_unchanged()
    for stream in sorted(teller.streams.values(), key=lambda stream: stream.key.count("/")):
        if not stream.waiting:
            continue
        try:
            taken.sessions.add(_append(sender, stream))
        except DraftRefused as refused:
            event = stream.waiting[refused.index]
            reason = f"refused_by_log: {refused.field}: {refused.rule}"
            raise _Refused(owners[stream.key, event.event_id], reason) from refused
        except EventIdConflict as conflict:
            if conflict.seq is not None:
                raise  # another delivery told it between our look and our writing
            raise _Refused(owners[stream.key, conflict.event_id], f"event_id_conflict: {conflict}") from conflict


def _append(sender: Sender, stream: Stream) -> UUID:
    head = stream.facts
    assert head is not None
    parent = _sessions(sender.project_id, head.parent_key).first() if head.parent_key else None
    session = open_session(
        project_id=sender.project_id,
        origin="import",
        external_id=stream.key,
        title=head.title,
        agent=head.agent,
        agent_version=head.agent_version,
        model=head.model,
        parent_id=parent.id if parent else None,
        started_at=head.started_at,
    )
    append(
        session_id=session.id,
        drafts=[Draft(one.event_id, one.type, one.payload, one.occurred_at, one.visibility) for one in stream.waiting],
        actor=sender.actor,
        api_key_id=sender.api_key_id,
        expected_seq=stream.base_seq,
    )
    told = {"title": head.title, "agent": head.agent, "model": head.model}
    missing = {name: value for name, value in told.items() if value and not getattr(session, name)}
    if missing:
        update_session_facts(session_id=session.id, **missing)
    request_index(session_id=session.id, project_id=sender.project_id)
    return session.id


def _sessions(project_id: UUID, key: str) -> QuerySet[Session]:
    return Session.objects.filter(project_id=project_id, external_id=key, erased_at=None)


def _heads(session_ids: Sequence[UUID]) -> dict[UUID, int]:
    found = Head.objects.filter(session_id__in=session_ids)
    return dict.fromkeys(session_ids, 0) | dict(found.values_list("session_id", "head_seq"))


class StoredLog:
    """What the importer asks, answered from the log. Each question reads by key; only a rewritten history reads a session."""

    def __init__(self, project_id: UUID) -> None:
        self._project_id = project_id
        self._ids: dict[str, UUID] = {}
        self._heads: dict[UUID, int] = {}

    def sessions_of(self, key: str) -> Sequence[str]:
        own = Session.objects.filter(project_id=self._project_id, erased_at=None)
        named = own.filter(Q(external_id=key) | Q(external_id__startswith=f"{key}/")).order_by("created_at", "id")
        self._ids |= {session.external_id: session.id for session in named}
        # Read before anything else is asked: what another delivery writes from now on makes our append fail and be tried again.
        self._heads = _heads([session.id for session in named]) | self._heads
        return sorted((session.external_id for session in named), key=lambda one: one != key)

    def holding(self, session_keys: Sequence[str], event_ids: Iterable[UUID]) -> dict[UUID, set[str]]:
        keys = {self._ids[key]: key for key in session_keys if key in self._ids}
        found: dict[UUID, set[str]] = {}
        stored = Event.objects.filter(session_id__in=keys, event_id__in=list(event_ids))
        for event_id, session_id in stored.values_list("event_id", "session_id"):
            found.setdefault(event_id, set()).add(keys[session_id])
        return found

    def newest_call(self, session_key: str) -> tuple[int, Json] | None:
        for event in self._backwards(session_key, kinds.IMPORT_UNKNOWN):
            record = event.payload.get("record")
            if event.payload.get("record_type") == CALL_RECORD and isinstance(record, dict) and record.get("newest"):
                return event.seq, record
        return None

    def head_seq(self, session_key: str) -> int:
        return self._heads.get(self._ids[session_key], 0) if session_key in self._ids else 0

    def check_unchanged(self) -> None:
        """WrongHead when a session that was looked at grew since, also when what is to be told goes into another one."""
        for session_id, seq in _heads(list(self._heads)).items():
            if seq != self._heads[session_id]:
                raise WrongHead(self._heads[session_id], seq)

    def since(self, session_key: str, seq: int) -> Iterable[Stored]:
        if session_key in self._ids:
            for event in log.iter_events(self._ids[session_key], after_seq=seq):
                yield Stored(event.seq, event.type, dict(event.payload))

    def since_rewrite(self, session_key: str) -> Iterable[Stored]:
        rewrites = (
            event
            for event in self._backwards(session_key, kinds.SESSION_COMPACTED)
            if isinstance(event.payload.get(MARK), dict) and "window" in event.payload[MARK]
        )
        newest = next(rewrites, None)
        return self.since(session_key, newest.seq - 1 if newest else 0)

    def conversation_of(self, trace: str) -> str:
        own = Event.objects.filter(event_id=trace_id(trace), session__project_id=self._project_id)
        found = own.filter(session__erased_at=None).values_list("session__external_id", flat=True).first()
        return str(found or "")

    def _backwards(self, session_key: str, kind: str) -> Iterable[Stored]:
        if session_key not in self._ids:
            return
        session_id, before = self._ids[session_key], 2**62
        while True:
            own = Event.objects.filter(session_id=session_id, type=kind, seq__lt=before).order_by("-seq")
            seqs = list(own.values_list("seq", flat=True)[:LOOK_BACK])
            if not seqs:
                return
            before = seqs[-1]
            for event in reversed(log.get_events(session_id, seqs=seqs)):
                yield Stored(event.seq, event.type, dict(event.payload))
