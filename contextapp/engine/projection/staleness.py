"""Which file reads say nothing current any more: the file was read again in full, or changed later. Judges paths and line
ranges, never content."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from contextapp.engine.kept import Kept
from contextapp.engine.observations import families
from contextapp.engine.projection.atoms import Atom, Message, ToolCall
from contextapp.engine.projection.payloads import list_of, whole


class Span(NamedTuple):
    first: int
    last: int


WHOLE = Span(0, 1 << 60)


class Touch(NamedTuple):
    """The files a call reads or edits, the lines it shows and those of earlier reads that it takes the place of."""

    files: tuple[str, ...] = ()
    shown: Span = WHOLE
    replaced: Span | None = None
    is_read: bool = False


_touches: Kept[Touch] = Kept()
_KEPT_READS = 64  # of one file at a time; older partial ones are no longer compared
_SED = re.compile(r"sed\s+-n\s+['\"]?(\d+),(\d+)p")


def stale_reads(atoms: Iterable[Atom]) -> dict[int, int]:
    """{seq of the reading call: seq of the call that superseded it}. Only calls that succeeded count, on both sides."""
    stale: dict[int, int] = {}
    current: dict[str, list[tuple[int, Span]]] = {}
    for call in sorted(_answered_calls(atoms), key=lambda call: call.seq):  # a batch may reach over a later one
        touch = _touches.of((call.name, call.arguments), len(call.arguments), partial(_touch, call))
        for name in touch.files:
            reads = current.get(name, [])
            superseded = [read for read in reads if touch.replaced and _holds(touch.replaced, read[1])]
            stale |= {seq: call.seq for seq, _ in superseded}
            kept = [read for read in reads if read not in superseded] if superseded else reads
            if touch.is_read and len(touch.files) == 1:
                kept = [*kept, (call.seq, touch.shown)]
            current[name] = kept[-_KEPT_READS:]
    return stale


def _touch(call: ToolCall) -> Touch:
    arguments = _arguments(call)
    family = families.call_family(call.name, arguments)
    if family not in (families.READ, families.EDIT):
        return Touch()
    paths = families.paths_of(arguments) or families.path_of_command(families.command_of(arguments))
    shown, replaced = (WHOLE, WHOLE) if family == families.EDIT else _spans(arguments)
    files = tuple(posixpath.normpath(path) for path in paths)
    return Touch(files, shown, replaced, is_read=family == families.READ)


def _answered_calls(atoms: Iterable[Atom]) -> Iterator[ToolCall]:
    for atom in atoms:
        answered = {message.call_seq: message for message in atom.messages if message.role == "tool"}
        yield from (call for call in atom.messages[0].calls if _succeeded(answered.get(call.seq)))


def _succeeded(result: Message | None) -> bool:
    return result is not None and not (result.is_error or result.denied or result.pending)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.first <= inner.first and inner.last <= outer.last


def _arguments(call: ToolCall) -> Mapping[str, Any]:
    try:
        read = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _spans(arguments: Mapping[str, Any]) -> tuple[Span, Span | None]:
    """The lines a read shows, and those it can take the place of: none when the record doesn't say which it shows."""
    command = families.command_of(arguments)
    if command and not families.paths_of(arguments):
        found = _SED.search(command)
        span = Span(int(found[1]), int(found[2])) if found else WHOLE
        return span, span if found or command.lstrip().startswith("cat ") else None
    view = list_of(arguments, "view_range")
    if len(view) == 2:
        arguments = {"start_line": view[0], "end_line": view[1] if view[1] != -1 else None}
    first = _first_of(arguments, "offset", "start_line", "line_start", "start") or 0
    last = _first_of(arguments, "end_line", "line_end", "end")
    limit = _first_of(arguments, "limit", "num_lines", "max_lines")
    if last is None and limit is not None:
        last = first + limit
    span = Span(first, WHOLE.last if last is None else last)
    return span, span


def _first_of(arguments: Mapping[str, Any], *names: str) -> int | None:
    return next((found for found in (whole(arguments, name) for name in names) if found is not None), None)
