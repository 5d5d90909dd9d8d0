"""What an extractor is given and what it gives: events in order, and claims with the places they were read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from contextapp.engine.events import Event


@dataclass(frozen=True, slots=True)
class Place:
    """Characters start..end of one field of an event; end 0 means all of it."""

    seq: int
    field: str = "text"
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """One claim, in the words of its source where there are some. `scope` is workspace or user; `basis` as memory has it."""

    claim: str
    kind: str
    basis: str
    places: tuple[Place, ...]
    scope: str = "workspace"
    conflict_key: str = ""
    value: str = ""


class Extractor(Protocol):
    """`name` stands in the record as who proposed it. The same events give the same claims."""

    name: str

    def extract(self, events: Sequence[Event]) -> tuple[Found, ...]: ...
