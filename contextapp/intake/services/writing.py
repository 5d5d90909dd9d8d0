"""Parsed lines into sessions and events of the log, in batches. Appends only what the log has not got; rewrites nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from contextapp.eventlog.errors import DraftRefused
from contextapp.eventlog.models import Event, Payload, Session
from contextapp.eventlog.services import append, open_session, update_session_facts
from contextapp.eventlog.values import Draft
from contextapp.importers.contract import Json, ParsedEvent, ParsedLine, SessionHead, UnfitLine
from contextapp.intake.models import Import

BATCH_EVENTS = 500
BATCH_BYTES = 4 * 1024 * 1024


@dataclass(slots=True)
class _Stream:
    """One session of the file: its head as last told, and the events that wait for the log."""

    head: SessionHead
    session_id: UUID | None = None
    stored_head: SessionHead | None = None
    waiting: list[tuple[ParsedLine, ParsedEvent]] = field(default_factory=list)


class LogWriter:
    """`refuse` is called for a line with an event that the log would not take; none of its waiting events is written."""

    def __init__(self, *, batch: Import, refuse: Callable[[ParsedLine, UnfitLine], None]) -> None:
        self.seen = self.new = 0
        self.version = ""
        self.orphans: dict[UUID, str] = {}  # sessions whose parent is not here yet, by the parent's key
        self._batch, self._refuse = batch, refuse
        self._streams: dict[str, _Stream] = {}
        self._events = self._bytes = 0

    def take(self, parsed: ParsedLine) -> None:
        for head in parsed.heads:
            stream = self._streams.setdefault(head.key, _Stream(head))
            stream.head = head
            self.version = head.agent_version or self.version
        for event in parsed.drafts:
            self._streams[event.session_key].waiting.append((parsed, event))
            self._events += 1
            self._bytes += weight(event.payload)
        if self._events >= BATCH_EVENTS or self._bytes >= BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        for stream in self._streams.values():
            while stream.waiting:
                self._write(stream)
        self._events = self._bytes = 0

    def discard(self) -> None:
        """Events of a file that failed and are not in the log yet: importing it again will bring them."""
        for stream in self._streams.values():
            stream.waiting = []

    def finish(self, *, quarantined: int) -> list[UUID]:
        """Tell the sessions what the file said about them; their ids, the file's own first."""
        opened = [stream for stream in self._streams.values() if stream.session_id is not None]
        for place, stream in enumerate(opened):
            assert stream.session_id is not None
            facts = _facts(stream.head)
            if place == 0:
                facts["quarantine_count"] = quarantined
            update_session_facts(session_id=stream.session_id, **facts)
        return [stream.session_id for stream in opened if stream.session_id is not None]

    def _write(self, stream: _Stream) -> None:
        """One batch of one session. A refused line leaves the batch and the rest is tried again by the caller's loop."""
        session_id = stream.session_id or self._open(stream)
        known = _known(session_id, [event.event_id for _, event in stream.waiting])
        new = [(parsed, event) for parsed, event in stream.waiting if event.event_id not in known]
        try:
            if new:
                append(
                    session_id=session_id,
                    drafts=[_draft(event) for _, event in new],
                    actor=self._batch.requested_by,
                )
        except DraftRefused as refused:
            bad = new[refused.index][0]
            stream.waiting = [(parsed, event) for parsed, event in stream.waiting if parsed.line != bad.line]
            self._refuse(bad, UnfitLine("refused_by_log", field=refused.field, detail=refused.rule))
            return
        self.seen += len(stream.waiting) - len(new)
        self.new += len(new)
        stream.waiting = []

    def _open(self, stream: _Stream) -> UUID:
        head = stream.head
        session = open_session(
            project_id=self._batch.project_id,
            origin="import",
            external_id=head.key,
            workspace_root=head.cwd,
            title=head.title,
            agent=head.agent,
            agent_version=head.agent_version,
            model=head.model,
            parent_id=self._session_id(head.parent_key),
            started_at=head.started_at,
        )
        stream.session_id = session.id
        if session.parent_id is None and (parent := self._session_id(head.parent_key)):
            update_session_facts(session_id=session.id, parent_id=parent)
        elif session.parent_id is None and head.parent_key:
            self.orphans[session.id] = head.parent_key
        self._adopt(session)
        return session.id

    def _session_id(self, key: str) -> UUID | None:
        return _session_id(self._batch.project_id, key) if key else None

    def _adopt(self, session: Session) -> None:
        """Sub-agents whose files came before their parent's."""
        orphans = Session.objects.filter(
            project_id=session.project_id,
            external_id__startswith=f"{session.external_id}/",
            parent=None,
            erased_at=None,
        )
        for session_id in orphans.values_list("id", flat=True):
            update_session_facts(session_id=session_id, parent_id=session.id)


def adopt_orphans(*, project_id: UUID, orphans: Mapping[UUID, str]) -> None:
    """Forks and sub-agents whose files came before their parent's: the newest come first."""
    for session_id, key in orphans.items():
        if (parent := _session_id(project_id, key)) is not None:
            update_session_facts(session_id=session_id, parent_id=parent)


def adopt_earlier(*, batch: Import) -> None:
    """Forks that an earlier import brought, once this one brought their parents; their own files need not be read again."""
    own = Session.objects.filter(import_files__batch=batch, created_at__gte=batch.started_at, erased_at=None)
    parents = dict(own.values_list("external_id", "id"))
    if not parents:
        return
    agents = own.values("agent")
    alone = Session.objects.filter(project_id=batch.project_id, origin="import", parent=None, erased_at=None)
    ids = alone.filter(agent__in=agents).exclude(id__in=parents.values()).values("id")
    for session_id, body in Payload.objects.filter(session_id__in=ids, seq=1).values_list("session_id", "body"):
        told = json.loads(bytes(body)) if body else {}
        if (parent := parents.get(str(told.get("parent_session")))) is not None:
            update_session_facts(session_id=session_id, parent_id=parent)


def _session_id(project_id: UUID, key: str) -> UUID | None:
    found = Session.objects.filter(project_id=project_id, external_id=key, erased_at=None)
    return found.values_list("id", flat=True).first()


def weight(payload: Json) -> int:
    """About how many bytes a payload will take; a batch is closed by it, nothing is decided by it."""
    total = 200
    for value in payload.values():
        if isinstance(value, str):
            total += len(value)
        elif isinstance(value, dict):
            total += weight(value)
        elif isinstance(value, list):
            total += sum(weight(inner) if isinstance(inner, dict) else 20 for inner in value)
    return total


def _known(session_id: UUID, event_ids: list[UUID]) -> set[UUID]:
    """What the log has already. Asked first, since masking may have grown stricter since and content is not compared here."""
    found = Event.objects.filter(session_id=session_id, event_id__in=event_ids)
    return set(found.values_list("event_id", flat=True))


def _draft(event: ParsedEvent) -> Draft:
    return Draft(event.event_id, event.type, event.payload, event.occurred_at, event.visibility)


def _facts(head: SessionHead) -> Json:
    facts = {"title": head.title, "agent": head.agent, "agent_version": head.agent_version, "model": head.model}
    return {name: value for name, value in facts.items() if value}
