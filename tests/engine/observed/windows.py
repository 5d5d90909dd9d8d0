"""A counter whose sums a reader can check, and a session walked call by call. Holds no expectations."""

from __future__ import annotations

from collections import Counter
from typing import Any

from contextapp.engine.events import Event
from contextapp.engine.inputs import ModelProfile
from contextapp.engine.ledger import Row
from contextapp.engine.observed import ObservedLedger, ObservedWindow
from contextapp.engine.projection.calls import CallTracker
from contextapp.engine.values import Method
from tests.engine.logs import Fact, log

PROFILE = ModelProfile("m", 1_000)


class WordCounter:
    """A word is a token; remembers how often each text was asked for."""

    name = "words"
    method = Method.ESTIMATED

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def count(self, text: str) -> int:
        self.asked[text] += 1
        return len(text.split())


def ledger_of(window: ObservedWindow, usage: dict[str, Any] | None = None, factor: float = 1.0) -> ObservedLedger:
    return window.ledger(1, usage, factor, WordCounter(), PROFILE)


def after(*facts: Fact) -> ObservedLedger:
    """The ledger of a call that comes after these events."""
    window = ObservedWindow()
    for event in log(*facts):
        window.feed(event)
    return ledger_of(window)


def walk(events: list[Event], billed: dict[int, int] | None = None, factor: float = 1.0) -> list[ObservedLedger]:
    """The ledger of every call, `billed` by step number."""
    window, tracker, counter, ledgers = ObservedWindow(), CallTracker(), WordCounter(), []
    for event in events:
        if tracker.feed(event):
            tokens = (billed or {}).get(len(ledgers) + 1)
            usage = None if tokens is None else {"input_uncached": tokens, "cache_read": 0, "cache_write": 0}
            ledgers.append(window.ledger(len(ledgers) + 1, usage, factor, counter, PROFILE))
        window.feed(event)
    return ledgers


def included(ledger: ObservedLedger) -> list[tuple[str, str, int]]:
    return [(row.source_kind, row.title, row.after_tokens) for row in ledger.rows if row.is_included]


def excluded(ledger: ObservedLedger) -> list[Row]:
    """Without the sources that the file never holds."""
    return [row for row in ledger.rows if not row.is_included and row.reason != "not_recorded"]
