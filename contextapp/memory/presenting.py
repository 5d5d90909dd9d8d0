"""A record as the engine would render it, and what that costs: what a reviewer approves is what a model gets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from contextapp.engine.sources.memory import hint
from contextapp.engine.tokens import TiktokenCounter
from contextapp.memory.models import MemoryRevision
from contextapp.memory.selectors.building import as_engine


@dataclass(frozen=True, slots=True)
class Presented:
    text: str
    tokens: int


def as_model_gets_it(revision: MemoryRevision, as_of: datetime) -> Presented:
    """The line of the request, as if the record were approved and verified now unless it is already dated."""
    shown = as_engine(revision)
    if shown.last_verified_at is None:
        shown = replace(shown, last_verified_at=as_of.isoformat(timespec="seconds"))
    text = hint(shown, as_of.isoformat())
    return Presented(text, _counter().count(text))


@cache
def _counter() -> TiktokenCounter:
    return TiktokenCounter()
