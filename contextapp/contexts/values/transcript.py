"""The transcript as pages show it: previews with their true size. All text here is untrusted; escape it where it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

PREVIEW_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Preview:
    """The start of a text with its true size. Untrusted text: escape it wherever it is shown."""

    text: str
    total_chars: int

    @property
    def is_cut(self) -> bool:
        return len(self.text) < self.total_chars


@dataclass(frozen=True, slots=True)
class CallItem:
    """A tool call folded with its result; `result` is None while there is none."""

    call_id: str
    name: str
    summary: str  # the one argument a person looks for: command, path, pattern
    arguments: Preview
    result: Preview | None
    result_seq: int
    is_error: bool
    exit_code: int | None
    is_denied: bool
    denial_reason: str
    is_pending: bool
    artifact_sha256: str
    read_range: str  # "lines 1-500 of 812"


@dataclass(frozen=True, slots=True)
class TranscriptItem:
    """kind: user, assistant, thinking, call, result (its call is not on this page), denial, compaction, resource,
    instructions, tools, constraint, retrieval, error, redacted, unknown."""

    kind: str
    seq: int
    last_seq: int
    step: int | None  # the model call that wrote it; a link
    title: str
    body: Preview
    call: CallItem | None = None
    media: tuple[str, ...] = ()
    occurred_at: str | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    number: int  # 0: before the first turn
    title: str
    started_at: datetime | None
    first_step: int | None
    last_step: int | None
    items: tuple[TranscriptItem, ...]


@dataclass(frozen=True, slots=True)
class TranscriptPage:
    """A page by keyset: ask again with `after_seq=next_after` or `before_seq=previous_before`; None: no more that way."""

    turns: tuple[TranscriptTurn, ...]
    first_seq: int
    last_seq: int
    total_events: int
    next_after: int | None
    previous_before: int | None


@dataclass(frozen=True, slots=True)
class EventPiece:
    seq: int
    type: str
    title: str
    body: Preview
    occurred_at: str | None
    artifact_sha256: str
