"""The extractors that are always on: they read, they do not guess, and the same events give the same claims."""

from __future__ import annotations

from collections.abc import Sequence

from contextapp.engine.events import Event
from contextapp.memory.extracting.contract import Extractor, Found
from contextapp.memory.extracting.corrections import Corrections
from contextapp.memory.extracting.facts import Facts
from contextapp.memory.extracting.stated import Stated

EXTRACTORS: tuple[Extractor, ...] = (Stated(), Facts(), Corrections())


def extract(events: Sequence[Event], extractors: Sequence[Extractor] = EXTRACTORS) -> tuple[tuple[str, Found], ...]:
    """(name of the extractor, claim), in the order of the extractors."""
    return tuple((one.name, found) for one in extractors for found in one.extract(events))
