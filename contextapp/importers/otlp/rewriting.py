"""What became of the window between two requests: what stayed at its start, was cleared, fell out, stayed at its end, and is
new. Compares digests; says nothing of why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from contextapp.importers.otlp.stream import Entry
from contextapp.importers.otlp.values import Message


@dataclass(frozen=True, slots=True)
class Change:
    """`request[:kept]` stood at the window's start; then `request[kept:inserted_to]` is new; then comes `retained`, the
    end of the window; `request[new_from:]` is new behind it."""

    kept: int
    inserted_to: int
    new_from: int
    dropped: tuple[Entry, ...] = ()
    retained: tuple[Entry, ...] = ()
    start: tuple[Entry, ...] = ()  # where the kept ones stand in the log
    cleared: dict[str, str] = field(default_factory=dict)  # what a result says now, by its call
    left_out: int = 0  # messages at the window's end that the request does not hold
    is_other: bool = False  # nothing of the window's end is in the request


def compare(window: Sequence[Entry], digests: Sequence[str], messages: Sequence[Message]) -> Change:
    kept, cleared = 0, {}
    while kept < min(len(window), len(digests)):
        entry, message = window[kept], messages[kept]
        is_result = bool(entry.call_id) and message.role == "tool" and message.call_id == entry.call_id
        is_last_answer = kept == len(window) - 1 and message.role == "assistant" and not entry.call_id
        if entry.digest != digests[kept]:
            if is_result:
                cleared[entry.call_id] = message.text
            elif not (is_last_answer and cleared):
                break
        kept += 1
    if kept == len(window):
        return Change(kept, kept, kept, cleared=cleared)
    if kept == len(digests):
        return Change(kept, kept, kept, cleared=cleared, left_out=len(window) - kept)
    length, start = _overlap([entry.digest for entry in window[kept:]], digests[kept:])
    if not length:
        left_out = len(window) - kept
        if kept and left_out == 1 and not window[-1].call_id:  # an answer that nobody kept
            return Change(kept, kept, kept, cleared=cleared, left_out=1)
        return Change(kept, len(digests), len(digests), dropped=tuple(window), is_other=True)
    return Change(
        kept,
        kept + start,
        kept + start + length,
        dropped=tuple(window[kept : len(window) - length]),
        retained=tuple(window[len(window) - length :]),
        start=tuple(window[:kept]),
        cleared=cleared,
    )


def _overlap(window: Sequence[str], request: Sequence[str]) -> tuple[int, int]:
    """The longest end of the window that stands in the request, and where it begins there."""
    best, where = 0, 0
    for end in range(len(request), 0, -1):
        length = 0
        while length < min(end, len(window)) and request[end - 1 - length] == window[len(window) - 1 - length]:
            length += 1
        if length > best:
            best, where = length, end - length
    return best, where
