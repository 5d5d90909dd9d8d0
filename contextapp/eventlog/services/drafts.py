"""Turns a draft into what is stored: checked, masked, its large content moved to artifacts, encoded. Touches no storage."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings

from contextapp.eventlog.errors import DraftRefused
from contextapp.eventlog.masking.payloads import find_marks, with_marks
from contextapp.eventlog.masking.projects import BY_DEFAULT, Masking
from contextapp.eventlog.services.content import Attachment, move_media, move_text
from contextapp.eventlog.values import VISIBILITIES, Draft
from contextapp.evidence import canonical

_TYPE = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")
RESERVED = ("_masked", "_masked_total", "_flagged", "_flagged_total")


@dataclass(frozen=True, slots=True)
class Prepared:
    draft: Draft
    body: bytes
    attachments: tuple[Attachment, ...] = ()

    def is_same_as(self, other: Prepared) -> bool:
        return (
            self.body == other.body
            and self.draft.type == other.draft.type
            and self.draft.visibility == other.draft.visibility
        )


def prepare(index: int, draft: Draft, masking: Masking = BY_DEFAULT) -> Prepared:
    """DraftRefused names the index, the field and the rule of anything that can't be stored."""
    _check_envelope(index, draft)
    attachments: list[Attachment] = []
    payload = move_media(index, draft.payload, attachments, masking.scanner)
    payload, body = _mask(index, payload, masking)
    moved = move_text(payload, attachments)
    if moved is not payload:
        payload, body = moved, _encode(index, moved)
    if len(body) > settings.API_EVENT_LIMIT_BYTES:
        raise DraftRefused(
            index, "payload", f"{len(body)} bytes; at most {settings.API_EVENT_LIMIT_BYTES} fit in one event"
        )
    return Prepared(replace(draft, payload=payload), body, tuple(attachments))


def _check_envelope(index: int, draft: Draft) -> None:
    if len(draft.type) > 100 or not _TYPE.fullmatch(draft.type):
        raise DraftRefused(
            index, "type", f"{draft.type[:100]!r} is not a dotted lower-case name such as tool.completed"
        )
    if draft.type == "event.redacted":
        raise DraftRefused(index, "type", "event.redacted is written by erasure alone")
    if draft.visibility not in VISIBILITIES:
        raise DraftRefused(index, "visibility", f"{draft.visibility!r} is not one of {', '.join(VISIBILITIES)}")
    if not 1 <= draft.schema_version <= 32767:
        raise DraftRefused(index, "schema_version", f"{draft.schema_version} is not between 1 and 32767")
    if draft.occurred_at is not None:
        if draft.occurred_at.tzinfo is None:
            raise DraftRefused(index, "occurred_at", f"{draft.occurred_at.isoformat()} has no time zone")
        if not 1970 <= draft.occurred_at.year <= 2100:
            raise DraftRefused(index, "occurred_at", f"year {draft.occurred_at.year} is not between 1970 and 2100")
    if not isinstance(draft.payload, dict):
        raise DraftRefused(index, "payload", f"a JSON object is needed, not {type(draft.payload).__name__}")
    for name in RESERVED:
        if name in draft.payload:
            raise DraftRefused(index, f"payload/{name}", "this name is reserved for the log's own marks")


def _mask(index: int, payload: dict[str, Any], masking: Masking) -> tuple[dict[str, Any], bytes]:
    """The payload as it will be stored, and its canonical bytes."""
    body = _encode(index, payload)
    mode = masking.mode
    made, marks = find_marks(payload, body, replaces=mode == "mask", scanner=masking.scanner)
    if not marks:
        return payload, body
    if mode == "refuse":
        raise DraftRefused(
            index, f"payload{marks[0].path}", f"holds a secret ({marks[0].rule}) and the masking mode is refuse"
        )
    made = with_marks(made, marks, name="_masked" if mode == "mask" else "_flagged")
    return made, _encode(index, made)


def _encode(index: int, payload: dict[str, Any]) -> bytes:
    try:
        return canonical.encode(payload)
    except canonical.NotCanonical as error:
        raise DraftRefused(index, f"payload{error.path}", error.reason) from error
