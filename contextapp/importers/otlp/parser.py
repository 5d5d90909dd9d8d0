"""OTLP JSON files, as a collector's file exporter writes them: one request a line, or one document. Each span is accounted for;
the requests of a file are compared with each other alone. Never holds what was told already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from contextapp.importers.contract import Disposition, Json, ParsedLine, Source, UnfitFile, UnfitLine
from contextapp.importers.decoding import check_depth, decode_line_values, decode_text, decode_values
from contextapp.importers.lines import BOM, RawLine, fold, quarantine, read_lines
from contextapp.importers.openai_chat.document import is_document
from contextapp.importers.otlp.decoding import logs_of_value, spans_of_value
from contextapp.importers.otlp.facts import MARK
from contextapp.importers.otlp.reading import read_log, read_span
from contextapp.importers.otlp.stream import Stored, Stream
from contextapp.importers.otlp.telling import Teller
from contextapp.importers.otlp.values import Span

Numbered = tuple[int, Span | UnfitLine, bool]


def parse(source: Source) -> Iterator[ParsedLine]:
    walk = _Walk()
    if is_document(source):
        yield from walk.take(_document(source))
    else:
        for line in read_lines(source.stream, limit_bytes=source.line_limit_bytes):
            if not line.body.strip():
                continue
            try:
                values = decode_line_values(line, limit_bytes=source.line_limit_bytes)
                for value in values:
                    check_depth(value, source.depth_limit)
                yield from walk.take(values)
            except UnfitLine as unfit:
                yield quarantine(replace(line, number=walk.next_number()), unfit)


def _document(source: Source) -> list[Json]:
    body = source.stream.read(source.document_limit_bytes + 1)
    if len(body) > source.document_limit_bytes:
        raise UnfitFile(f"{source.name}: over {source.document_limit_bytes:,} bytes; write one request a line.")
    try:
        values = decode_values(decode_text(body.removeprefix(BOM)))
        for value in values:
            check_depth(value, source.depth_limit)
    except UnfitLine as unfit:
        raise UnfitFile(f"{source.name}: not a readable JSON document ({unfit}).") from unfit
    return values


class _NoLog:
    """Nothing is stored yet as far as a file knows."""

    def sessions_of(self, key: str) -> Sequence[str]:
        return ()

    def holding(self, session_keys: Sequence[str], event_ids: Iterable[UUID]) -> dict[UUID, set[str]]:
        return {}

    def newest_call(self, session_key: str) -> tuple[int, Json] | None:
        return None

    def head_seq(self, session_key: str) -> int:
        return 0

    def since(self, session_key: str, seq: int) -> Iterable[Stored]:
        return ()

    def since_rewrite(self, session_key: str) -> Iterable[Stored]:
        return ()

    def conversation_of(self, trace: str) -> str:
        return ""


class _Walk:
    """The spans of one file in the order they began, within each request; a span's number is its place in the file."""

    def __init__(self) -> None:
        self._teller = Teller(_NoLog())
        self._number = 0

    def next_number(self) -> int:
        self._number += 1
        return self._number

    def take(self, requests: Sequence[Json]) -> Iterator[ParsedLine]:
        found: list[Numbered] = []
        for request in requests:
            try:
                found += [(self.next_number(), span, False) for span in spans_of_value(_object(request))]
                found += [(self.next_number(), record, True) for record in logs_of_value(request)]
            except UnfitLine as unfit:
                found.append((self.next_number(), unfit, False))
        self._teller.learn([span for _, span, _ in found if isinstance(span, Span)])
        found.sort(key=lambda one: (one[1].start_ns, one[1].end_ns) if isinstance(one[1], Span) else (0, 0))
        for number, span, is_log in found:
            yield self._line(number, span, is_log)

    def _line(self, number: int, span: Span | UnfitLine, is_log: bool) -> ParsedLine:
        body = repr(span).encode("utf-8", "backslashreplace")
        line = RawLine(number, body, len(body), ended=True)
        if isinstance(span, UnfitLine):
            return quarantine(line, span)
        try:
            reading = read_log(span) if is_log else read_span(span)
            if reading is None:
                return fold(number, "not_genai")
            taken = self._teller.take(span, reading)
        except UnfitLine as unfit:
            return quarantine(line, unfit)
        if taken is None:
            return fold(number, "duplicate")
        stream, drafts = taken
        _forget(stream, len(drafts))
        heads = (stream.facts,) if stream.facts else ()
        return ParsedLine(number, Disposition.PRODUCED, drafts=tuple(drafts), heads=heads)


def _object(request: object) -> Json:
    if not isinstance(request, dict):
        raise UnfitLine("not_an_object", detail="expected an object with resourceSpans or resourceLogs")
    return request


def _forget(stream: Stream, count: int) -> None:
    """Of what was told, comparing needs the marks alone."""
    for place in range(len(stream.waiting) - count, len(stream.waiting)):
        event = stream.waiting[place]
        needed = {name: event.payload[name] for name in (MARK, "call_id") if name in event.payload}
        stream.waiting[place] = replace(event, payload=needed)
