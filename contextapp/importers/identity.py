"""Ids of imported events: uuid5 over where an event stands and what it says, so that importing again finds it again."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from contextapp.importers.contract import Json, ParsedEvent

_NAMESPACE = uuid.UUID("6f3a2c55-9a63-5b0e-8d5e-1f1f0c6b7a10")


@dataclass(frozen=True, slots=True)
class Fact:
    """An event before it has an id. `native` overrides the record's own id: usage is named by its message, not by its line."""

    type: str
    payload: Json
    visibility: str = "model"
    native: str = ""


def content_hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def identify(
    facts: Iterable[Fact], *, format_name: str, session_key: str, native: str, occurred_at: datetime | None
) -> tuple[ParsedEvent, ...]:
    """Ids for the facts of one record. Ordinals count within one type, so that an added session start moves no other id."""
    events, ordinals = [], Counter[tuple[str, str]]()
    for fact in facts:
        own = fact.native or native
        ordinal = ordinals[(fact.type, own)]
        ordinals[(fact.type, own)] += 1
        parts = (format_name, session_key, own, fact.type, str(ordinal), content_hash(fact.payload))
        event_id = uuid.uuid5(_NAMESPACE, content_hash(parts))
        events.append(ParsedEvent(session_key, event_id, fact.type, fact.payload, occurred_at, fact.visibility))
    return tuple(events)


class Ordinals:
    """How often a record without an id of its own was seen, so that equal records at other places stay apart."""

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()

    def name(self, record: Json) -> str:
        digest = content_hash(record)
        short = bytes.fromhex(digest[:32])
        self._seen[short] += 1
        return f"{digest}:{self._seen[short]}"


def safe_key(part: str) -> str:
    """A native id as part of a session key: long or unprintable ones are replaced by their hash."""
    if 0 < len(part) <= 100 and part.isascii() and part.isprintable():
        return part
    return "sha256-" + hashlib.sha256(part.encode("utf-8", errors="surrogatepass")).hexdigest()[:32]
