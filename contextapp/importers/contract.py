"""What every importer takes and gives: lines in, one disposition and the events of each line out. Never opens or stores.

A line is the unit that is accounted for: a line of a JSONL file, or one message of a JSON document. Every line comes out as
exactly one `ParsedLine`, so produced + folded + quarantined = lines. A line whose every event was already produced by an
earlier line of the same file is folded, with the reason `duplicate`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, BinaryIO

Json = dict[str, Any]  # JSON objects of another tool: their values are whatever that tool wrote


class Disposition(StrEnum):
    PRODUCED = "produced"
    FOLDED = "folded"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class ParsedEvent:
    """One event of one session. The id is a function of where and what it is, so a second import finds it again."""

    session_key: str
    event_id: uuid.UUID
    type: str
    payload: Json
    occurred_at: datetime | None
    visibility: str = "model"


@dataclass(frozen=True, slots=True)
class SessionHead:
    """What is known of a session so far. It may come again with more; an empty field says nothing."""

    key: str
    native_id: str
    agent: str
    title: str = ""
    agent_version: str = ""
    model: str = ""
    cwd: str = ""
    parent_key: str = ""
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """What became of one line. `reason` is set unless events were produced; `excerpt` and `sha256` when quarantined."""

    line: int
    disposition: Disposition
    reason: str = ""
    field: str = ""
    detail: str = ""
    drafts: tuple[ParsedEvent, ...] = ()
    heads: tuple[SessionHead, ...] = ()
    excerpt: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """One open file. `name` is its full path, or what the person called it; the identity of formats without ids."""

    name: str
    stream: BinaryIO
    line_limit_bytes: int = 64 * 1024 * 1024
    document_limit_bytes: int = 128 * 1024 * 1024
    depth_limit: int = 60


@dataclass(frozen=True, slots=True)
class Format:
    """A transcript format we can read. `looked_for` completes the sentence "we looked for ..."."""

    name: str
    label: str
    looked_for: str
    recognise: Callable[[bytes, str], bool] = field(repr=False)
    parse: Callable[[Source], Iterator[ParsedLine]] = field(repr=False)


class UnfitLine(Exception):
    """A line that can't become events: the reason code, the field at fault and what was found there."""

    def __init__(self, reason: str, *, field: str = "", detail: str = "") -> None:
        super().__init__(": ".join(part for part in (reason, field, detail) if part))
        self.reason, self.field, self.detail = reason, field, detail


class UnfitFile(Exception):
    """A file that can't be read at all; the message is for the person who chose it."""
