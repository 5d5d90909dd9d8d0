"""Walks a file item by item: each item of a JSON document is a line, and in JSON lines each line is. An item is read before any
is placed, so that a line which fails halfway leaves no trace. Knows no format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from contextapp.importers.contract import Disposition, ParsedEvent, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said
from contextapp.importers.decoding import check_depth, decode_line_values
from contextapp.importers.lines import RawLine, fold, quarantine, read_lines
from contextapp.importers.openai_chat.document import is_document, load_document


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is accounted for: `read` says what it means, or that it is unfit, and changes nothing."""

    value: Any
    native: str
    conversation: Conversation
    read: Callable[[], Said]


class Opening(Protocol):
    """Finds the items of a value. It gives positions; it refuses nothing, for that is the reading's."""

    def items(self, value: Any, place: str) -> Iterator[Item]: ...

    def skip(self) -> None:
        """A line that is no JSON takes a position all the same, so that later ones stand still."""


def walk(source: Source, opening: Opening) -> Iterator[ParsedLine]:
    if is_document(source):
        yield from _walk_document(source, opening)
        return
    for line in read_lines(source.stream, limit_bytes=source.line_limit_bytes):
        yield _take_line(source, opening, line)


def _walk_document(source: Source, opening: Opening) -> Iterator[ParsedLine]:
    for number, item in enumerate(opening.items(load_document(source), ""), start=1):
        try:
            yield _place(number, [item], source.depth_limit)
        except UnfitLine as unfit:
            yield quarantine(_as_line(number, item.value), unfit)


def _as_line(number: int, value: Any) -> RawLine:
    """An item of a document as the line it would be, for its excerpt and hash."""
    body = repr(value).encode("utf-8", errors="backslashreplace")
    return RawLine(number, body, len(body), ended=True)


def _take_line(source: Source, opening: Opening, line: RawLine) -> ParsedLine:
    if not line.body.strip():
        return fold(line.number, "blank")
    try:
        values = decode_line_values(line, limit_bytes=source.line_limit_bytes)
    except UnfitLine as unfit:
        opening.skip()
        return quarantine(line, unfit)
    items: list[Item] = []
    for number, value in enumerate(values):
        items += opening.items(value, f"line-{line.number}" + (f".{number}" if number else ""))
    try:
        return _place(line.number, items, source.depth_limit)
    except UnfitLine as unfit:
        return quarantine(line, unfit)


def _place(number: int, items: list[Item], depth_limit: int) -> ParsedLine:
    read: list[tuple[Item, Said]] = []
    for item in items:
        check_depth(item.value, depth_limit)
        read.append((item, item.read()))
    drafts: list[ParsedEvent] = []
    heads: list[SessionHead] = []
    for item, said in read:
        made, told = item.conversation.accept(said, item.native)
        drafts += made
        heads += told
    if drafts:
        return ParsedLine(number, Disposition.PRODUCED, drafts=tuple(drafts), heads=tuple(heads))
    reasons = ["duplicate" if said.facts else said.folded for _, said in read]
    return ParsedLine(number, Disposition.FOLDED, reason=next(filter(None, reasons), "empty"), heads=tuple(heads))
