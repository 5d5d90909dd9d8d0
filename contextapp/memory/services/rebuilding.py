"""Builds the tables of a project's memory again from its governance stream. The proof that the stream holds all of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from contextapp.engine.events import Event
from contextapp.eventlog.selectors import get_events
from contextapp.memory.columns import described, described_evidence, restored
from contextapp.memory.models import MemoryEvidence, MemoryReview, MemoryRevision
from contextapp.memory.services import indexing
from contextapp.memory.services.governance import stream_of, tell
from contextapp.memory.transitions import EVENTS, PROPOSED

PAGE = 500


def rebuild(*, project_id: UUID) -> int:
    """Delete and replay; how many revisions there are now. Uses are not touched: they are derived from ledgers."""
    stream = stream_of(project_id)
    with transaction.atomic():
        _adopt(project_id)
        MemoryRevision.objects.filter(project_id=project_id).delete()
        after = 0
        while page := get_events(stream.id, after_seq=after, limit=PAGE):
            for event in page:
                if event.type in EVENTS:
                    _apply(project_id, event)
            after = page[-1].seq
        found = MemoryRevision.objects.filter(project_id=project_id)
        indexing.index_all(found)
        return found.count()


def _adopt(project_id: UUID) -> None:
    """Records from before there was a stream get their event now, or deleting them would lose them."""
    for revision in MemoryRevision.objects.filter(project_id=project_id, governance_seq=None).order_by("id"):
        spans = [described_evidence(span) for span in revision.evidence.all()]
        payload = {"columns": described(revision), "evidence": spans}
        tell(project_id=project_id, type=PROPOSED, actor=revision.proposed_by, payload=payload)


def _apply(project_id: UUID, event: Event) -> None:
    payload = event.payload
    if payload.get("erased") is True:
        return  # the redaction that follows holds what is left of the record
    columns = _columns(project_id, payload["columns"])
    if event.type == PROPOSED:
        revision = MemoryRevision.objects.create(project_id=project_id, governance_seq=event.seq, **columns)
    else:
        name = {"project_id": project_id, "lineage": payload["lineage"], "revision": payload["revision"]}
        revision, _ = MemoryRevision.objects.update_or_create(**name, defaults=columns)
    _add(MemoryEvidence, revision, payload.get("evidence", ()))
    if "review" in payload:
        _add(MemoryReview, revision, [payload["review"]])


def _columns(project_id: UUID, described: Mapping[str, Any]) -> dict[str, Any]:  # columns, each of its own type
    made: dict[str, Any] = {}
    for name, value in described.items():
        if name in ("claimed_by", "claimed_until"):
            continue
        if name == "supersedes":
            made[name] = None if value is None else _named(project_id, value)
        else:
            made[name] = restored(MemoryRevision, name, value)
    return made


def _named(project_id: UUID, reference: str) -> MemoryRevision | None:
    number = int(reference.rpartition("@")[2])
    candidates = MemoryRevision.objects.filter(project_id=project_id, revision=number)
    return next((one for one in candidates if one.reference == reference), None)


def _add(model: Any, revision: MemoryRevision, rows: Iterable[Mapping[str, Any]]) -> None:  # a model and its JSON rows
    made = [
        model(memory=revision, **{name: restored(model, name, value) for name, value in row.items()}) for row in rows
    ]
    model.objects.bulk_create(made, ignore_conflicts=True)
