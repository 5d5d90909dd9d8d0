"""Spans through the importer as a file of them, and the window that its events make. Holds no test."""

from __future__ import annotations

import io
from collections.abc import Sequence

from contextapp.engine.events import Event
from contextapp.engine.observed.window import ObservedWindow
from contextapp.importers.contract import ParsedEvent, ParsedLine, Source
from contextapp.importers.otlp.parser import parse
from tests.importers.otlp.payloads import Json, traces_json


def lines_of(*requests: Sequence[Json]) -> list[ParsedLine]:
    """One request of spans a line."""
    body = b"\n".join(traces_json(*spans) for spans in requests)
    return list(parse(Source("traces.jsonl", io.BytesIO(body))))


def told(*spans: Json) -> list[ParsedEvent]:
    return [event for line in lines_of(*([span] for span in spans)) for event in line.drafts]


def of_type(events: list[ParsedEvent], kind: str) -> list[Json]:
    return [event.payload for event in events if event.type == kind]


def window_of(events: list[ParsedEvent]) -> list[str]:
    """What stands in the window after these events of one session, as text, in order."""
    window = ObservedWindow()
    for seq, event in enumerate(events, start=1):
        window.feed(Event(seq, event.type, event.payload, visibility=event.visibility))
    return ["".join(item.uncounted) for item in window._items]  # its ledger names sources, not what they say
