"""What a compaction came to, before and after it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contextapp.engine.compaction import Survived

DETERMINISTIC = "deterministic"


@dataclass(frozen=True, slots=True)
class Made:
    """A summary that may be stored. `upto_seq` is the head it was made from; `fallback` says why it is not the model's."""

    upto_seq: int
    covers_to: int
    payload: Mapping[str, Any]  # of session.compacted
    survived: tuple[Survived, ...]
    before_tokens: int
    after_tokens: int
    by: str = DETERMINISTIC
    fallback: str = ""


@dataclass(frozen=True, slots=True)
class NotMade:
    """Why there is no summary. `is_recorded`: something was tried and thrown away, which the log shall tell."""

    code: str
    detail: str
    covers_to: int = 0
    before_tokens: int = 0
    after_tokens: int = 0
    by: str = DETERMINISTIC
    is_recorded: bool = False


@dataclass(frozen=True, slots=True)
class Stored:
    seq: int
    covers_to: int
    before_tokens: int
    after_tokens: int
    by: str
    fallback: str = ""
