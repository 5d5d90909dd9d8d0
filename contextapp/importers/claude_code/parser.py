"""Walks a Claude Code file in line order and gives each line its one disposition. Timestamps and parent links order nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from contextapp.importers import fields
from contextapp.importers.claude_code.reading import Reading
from contextapp.importers.claude_code.records import read_record
from contextapp.importers.claude_code.routing import Router
from contextapp.importers.claude_code.session import SessionWalk
from contextapp.importers.contract import Disposition, Json, ParsedEvent, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.decoding import decode_objects
from contextapp.importers.identity import Ordinals
from contextapp.importers.lines import RawLine, fold, quarantine, read_lines


def parse(source: Source) -> Iterator[ParsedLine]:
    walk = _Walk(source)
    for line in read_lines(source.stream, limit_bytes=source.line_limit_bytes):
        yield walk.take(line)


class _Walk:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._router = Router(source.name)
        self._ordinals = Ordinals()

    def take(self, line: RawLine) -> ParsedLine:
        if not line.body.strip():
            return fold(line.number, "blank")
        try:
            records = decode_objects(
                line, limit_bytes=self._source.line_limit_bytes, depth_limit=self._source.depth_limit
            )
            read = [self._read(record) for record in records]
        except UnfitLine as unfit:
            return quarantine(line, unfit)
        drafts: list[ParsedEvent] = []
        heads: list[SessionHead] = []
        for record, walk, reading, at in read:
            self._place(record, walk, reading, at, drafts, heads)
        if drafts:
            return ParsedLine(line.number, Disposition.PRODUCED, drafts=tuple(drafts), heads=tuple(heads))
        reasons = ["duplicate" if reading.facts else reading.folded for _, _, reading, _ in read]
        return ParsedLine(line.number, Disposition.FOLDED, reason=reasons[0] or "empty", heads=tuple(heads))

    def _read(self, record: Json) -> tuple[Json, SessionWalk | None, Reading, datetime | None]:
        """Everything that can fail about a record, before anything remembers it."""
        at = fields.moment(record, "timestamp")
        for name in ("uuid", "version", "cwd"):
            fields.string(record, name)
        walk = self._router.session_for(record)
        reading = read_record(record, walk.calls if walk else {})
        return record, walk, reading, at

    def _place(
        self,
        record: Json,
        walk: SessionWalk | None,
        reading: Reading,
        at: datetime | None,
        drafts: list[ParsedEvent],
        heads: list[SessionHead],
    ) -> None:
        if walk is None:
            if not reading.facts:
                return
            walk = self._router.any_session(record)
        heads += walk.retold(reading, fields.string(record, "version"), fields.string(record, "cwd"), at)
        native = fields.string(record, "uuid") or (self._ordinals.name(record) if reading.facts else "")
        drafts += walk.accept(reading, record, native, at)
