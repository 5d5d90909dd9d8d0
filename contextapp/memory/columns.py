"""A revision as JSON and back: what an event of the governance stream holds of it, so that the table can be built again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from contextapp.memory.models import MemoryEvidence, MemoryReview, MemoryRevision

# Not in events: who has it open right now, and what is computed again from the rest.
_LEFT_OUT = frozenset({"id", "project", "claimed_by", "claimed_until", "search", "tokenizer_version", "governance_seq"})
COLUMNS = tuple(column.name for column in MemoryRevision._meta.concrete_fields if column.name not in _LEFT_OUT)
CONTENT = ("claim", "shown", "value", "conflict_key", "source", "findings", "reason")  # what an erasure empties
EVIDENCE_COLUMNS = ("session_id", "seq", "field", "start", "end", "quote_sha256", "relation", "trust", "added_at")
REVIEW_COLUMNS = (
    "version_seen", "shown_sha256", "reviewer", "verdict", "reason_code", "note", "ms_on_screen", "evidence_opened", "at",
)  # fmt: skip


def described(revision: MemoryRevision, columns: Iterable[str] = COLUMNS) -> dict[str, Any]:  # JSON values
    """The columns as JSON. A superseded revision is named by its reference, not by its row."""
    made: dict[str, Any] = {}
    for name in columns:
        if name == "supersedes":
            made[name] = None if revision.supersedes is None else revision.supersedes.reference
        else:
            made[name] = _encoded(getattr(revision, name))
    return made


def described_evidence(evidence: MemoryEvidence) -> dict[str, Any]:
    return {name: _encoded(getattr(evidence, name)) for name in EVIDENCE_COLUMNS}


def described_review(review: MemoryReview) -> dict[str, Any]:
    return {name: _encoded(getattr(review, name)) for name in REVIEW_COLUMNS}


def restored(model: Any, name: str, value: Any) -> Any:  # Any: a model class and a JSON value
    """A JSON value as the column of the model takes it."""
    kind = model._meta.get_field(name).get_internal_type()
    if value is None:
        return None
    if kind == "BinaryField":
        return bytes.fromhex(value)
    if kind == "DateTimeField":
        return datetime.fromisoformat(value)
    if kind == "UUIDField":
        return UUID(value)
    return value


def _encoded(value: Any) -> Any:  # a column's value as JSON has it
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    return value
