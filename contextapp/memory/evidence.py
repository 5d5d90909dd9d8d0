"""Checks a claim against the spans it names, in the log, by code (memory.md 2.5). No model is asked and nothing is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import get_events
from contextapp.memory import claims
from contextapp.memory.models import MemoryEvidence, MemoryUse, Relation, SourceTrust
from contextapp.memory.risk import least

ECHO_LIKENESS = 0.8
FIELDS = ("text", "content", "claim", "summary", "reason", "output")
# What a harness or we ourselves put before the model is no evidence that it is true.
_INJECTED = frozenset({kinds.INSTRUCTIONS_LOADED, kinds.MEMORY_PROPOSED, kinds.CONTEXT_BUILT, kinds.RESOURCE_INCLUDED})
_TRUST = {
    kinds.USER_MESSAGE: SourceTrust.USER,
    kinds.CONSTRAINT_ADDED: SourceTrust.USER,
    kinds.PERMISSION_RESOLVED: SourceTrust.USER,
    kinds.MODEL_MESSAGE: SourceTrust.MODEL,
    kinds.MODEL_DELTA: SourceTrust.MODEL,
    kinds.MODEL_THINKING: SourceTrust.MODEL,
    kinds.TOOL_REQUESTED: SourceTrust.MODEL,
}


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the log: characters start..end of one field of one event; end 0 means the whole field."""

    session_id: UUID
    seq: int
    field: str = ""
    start: int = 0
    end: int = 0
    quote_sha256: bytes | None = None
    relation: str = Relation.STATES


@dataclass(frozen=True, slots=True)
class Quote:
    """A span as the log has it now. `text` is None when the event is gone, erased, foreign or holds no such field."""

    span: Span
    text: str | None
    trust: str
    event_type: str = ""
    is_injected: bool = False


@dataclass(frozen=True, slots=True)
class Checks:
    """Ticks beside the claim: true, false, or null where there is nothing to check. `missing` names what no quote holds."""

    exists: bool | None
    hash: bool | None
    terms: bool | None
    echo: bool | None  # true: it repeats a memory that the session was given
    missing: tuple[str, ...]
    echo_of: str
    trust: str | None  # the least trust of the evidence; None without any

    def to_dict(self) -> dict[str, Any]:
        return {
            "exists": self.exists,
            "hash": self.hash,
            "terms": self.terms,
            "echo": self.echo,
            "missing": list(self.missing),
            "echo_of": self.echo_of,
        }

    @property
    def failed(self) -> tuple[str, ...]:
        return tuple(name for name in ("exists", "hash", "terms") if getattr(self, name) is False)


def span_of(row: MemoryEvidence) -> Span:
    stored = None if row.quote_sha256 is None else bytes(row.quote_sha256)
    return Span(row.session_id, row.seq, row.field, row.start, row.end, stored, row.relation)


def quotes(project_id: UUID, spans: Sequence[Span]) -> tuple[Quote, ...]:
    """Each span as it stands in the log of this project. Another project's session is not there."""
    own = set(
        Session.objects.filter(project_id=project_id, id__in={span.session_id for span in spans}).values_list(
            "id", flat=True
        )
    )
    found: dict[tuple[UUID, int], Event] = {}
    for session_id in own:
        seqs = sorted({span.seq for span in spans if span.session_id == session_id})
        found |= {(session_id, event.seq): event for event in get_events(session_id, seqs=seqs)}
    return tuple(_quote(span, found.get((span.session_id, span.seq))) for span in spans)


def check(project_id: UUID, claim: str, read: Sequence[Quote]) -> Checks:
    if not read:
        return Checks(None, None, None, None, (), "", None)
    exists = all(quote.text is not None and not quote.is_injected for quote in read)
    hashed = [quote for quote in read if quote.span.quote_sha256 is not None]
    hash_fits = all(quote.text is not None and digest(quote.text) == quote.span.quote_sha256 for quote in hashed)
    missing = claims.missing_terms(claim, "\n".join(quote.text or "" for quote in read))
    echo_of = _echo(project_id, claim, read)
    return Checks(
        exists,
        hash_fits if hashed else None,
        not missing,
        bool(echo_of),
        missing,
        echo_of,
        least(*(q.trust for q in read)),
    )


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _quote(span: Span, event: Event | None) -> Quote:
    if event is None or event.payload.get("erased") is True:
        return Quote(span, None, SourceTrust.UNTRUSTED, "" if event is None else event.type)
    trust = _trust(event)
    names = (span.field,) if span.field else FIELDS
    text = next((value for name in names if (value := _field(event.payload, name)) is not None), None)
    if text is None or span.end > len(text) or span.start > (span.end or len(text)):
        return Quote(span, None, trust, event.type, event.type in _INJECTED)
    return Quote(span, text[span.start : span.end or len(text)], trust, event.type, event.type in _INJECTED)


def _field(payload: Any, name: str) -> str | None:  # a payload is any JSON object
    """The string at a dotted path, as `input.command`."""
    for part in name.split("."):
        payload = payload.get(part) if isinstance(payload, dict) else None
    return payload if isinstance(payload, str) else None


def _trust(event: Event) -> str:
    if event.type == kinds.SESSION_COMPACTED:
        said = event.payload.get("trust")
        return {"trusted": SourceTrust.USER, "fact": SourceTrust.MODEL}.get(str(said), SourceTrust.UNTRUSTED)
    return _TRUST.get(event.type, SourceTrust.UNTRUSTED)


def _echo(project_id: UUID, claim: str, read: Sequence[Quote]) -> str:
    """The memory that the session was given and that says the same: then the claim is an echo, not a finding."""
    sessions = {quote.span.session_id for quote in read}
    given = MemoryUse.objects.filter(memory__project_id=project_id, session_id__in=sessions, is_included=True)
    for use in given.select_related("memory").order_by("memory_id", "id").distinct("memory_id"):
        if claims.likeness(use.memory.shown, claim) >= ECHO_LIKENESS:
            return use.memory.reference
    return ""
