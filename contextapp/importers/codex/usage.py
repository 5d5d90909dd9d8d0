"""Which model call a bill belongs to, and whether it is one. Totals only tell new rows from repeated ones, for they start over
within a session: what counts is the bill of the single call."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.engine.events import USAGE_REPORTED
from contextapp.importers import fields
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact

_NAMES = (
    "input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens", "reasoning_output_tokens",
    "total_tokens",
)  # fmt: skip
Figures = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Bill:
    """`total` is the running sum, `last` the call alone; either may be missing in a row."""

    total: Figures
    last: Figures

    def fact(self, message_id: str, model: str) -> Fact:
        figures, quality = (self.last, "exact") if any(self.last) else (self.total, "cumulative")
        return Fact(USAGE_REPORTED, _payload(figures, message_id, model, quality))


def read_bill(payload: Json) -> Bill | None:
    """None for a row that speaks of rate limits only."""
    info = fields.mapping(payload, "info", path="payload.info")
    if info is None:
        return None
    bill = Bill(_figures(info, "total_token_usage"), _figures(info, "last_token_usage"))
    return bill if any(bill.total) or any(bill.last) else None


def turn_usage(payload: Json) -> Fact | None:
    """What a whole turn was billed, as the app server's `turn.completed` says."""
    figures = _figures(payload, "usage", path="payload.usage")
    return Fact(USAGE_REPORTED, _payload(figures, "", "", "cumulative")) if any(figures) else None


def _figures(record: Json, name: str, *, path: str = "") -> Figures:
    place = path or f"payload.info.{name}"
    usage = fields.mapping(record, name, path=place)
    return tuple(fields.count(usage, part, path=f"{place}.{part}") if usage else None for part in _NAMES)


def _payload(figures: Figures, message_id: str, model: str, quality: str) -> Json:
    """Input includes the cache here and output includes reasoning."""
    whole, read, written, output, reasoning, _ = figures
    return {
        "message_id": message_id,
        "model": model,
        "input_uncached": max(0, (whole or 0) - (read or 0) - (written or 0)),
        "cache_read": read or 0,
        "cache_write": written or 0,
        "output": output,
        "reasoning": reasoning,
        "quality": quality,
    }


class Meter:
    """Numbers the model calls of a file and gives each bill to its call.

    A bill stands behind the parts of its answer, with results before or after it; up to about 0.40 it stands before them. Where
    the first bill of a file stands tells which.
    """

    def __init__(self) -> None:
        self.input_tokens: int | None = None  # of the latest bill
        self._calls = self._paid = self._extra = 0
        self._is_open = self._has_result = False
        self._bills_first: bool | None = None
        self._total: Figures = ()
        self._seen: set[Bill] = set()

    def part(self, *, is_tool_call: bool) -> str:
        """The id of the call that this part belongs to. A tool may have answered before the model has called the next one."""
        goes_on = not self._has_result or (is_tool_call and self._bills_first is False)
        if not (self._is_open and goes_on):
            self._calls += 1
        self._is_open, self._has_result = True, False
        return f"call-{self._calls}"

    def result(self) -> None:
        self._has_result = True

    def interrupt(self) -> None:
        self._is_open = False

    def pay(self, bill: Bill) -> str:
        """The id of the call that was billed, or "" for a row that only repeats an earlier one."""
        is_repeated = bill in self._seen or (any(bill.total) and bill.total == self._total)
        self._total = bill.total
        self._seen.add(bill)
        if is_repeated:
            return ""
        if self._bills_first is None:
            self._bills_first = self._calls == 0
        self._is_open = False
        self.input_tokens = bill.last[0]
        number = self._calls + 1 if self._bills_first else self._calls
        if number > self._paid:
            self._paid = number
            return f"call-{number}"
        self._extra += 1  # a call that left no part
        return f"call-{number}-without-parts-{self._extra}"
