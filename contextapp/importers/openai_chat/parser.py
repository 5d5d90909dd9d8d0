"""Walks chat messages in a JSON document or in JSON lines. In a document each message is a line; in JSON lines each line is."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from contextapp.importers.contract import Disposition, ParsedEvent, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.decoding import check_depth, decode_line_values, kind_of
from contextapp.importers.lines import RawLine, fold, quarantine, read_lines
from contextapp.importers.openai_chat.document import is_document, load_document
from contextapp.importers.openai_chat.runs import Run, messages_of, run_key, run_of


def parse(source: Source) -> Iterator[ParsedLine]:
    if is_document(source):
        yield from _parse_document(source)
    else:
        walk = _Lines(source)
        for line in read_lines(source.stream, limit_bytes=source.line_limit_bytes):
            yield walk.take(line)


def _parse_document(source: Source) -> Iterator[ParsedLine]:
    number = 0
    for run, place, messages in _conversations(load_document(source), source.name):
        for index, message in enumerate(messages):
            number += 1
            yield _take_message(run, message, f"{place}[{index}].", number, source.depth_limit)
        if not messages:
            number += 1
            yield fold(number, "empty_conversation")


def _take_message(run: Run | UnfitLine, message: Any, path: str, number: int, depth_limit: int) -> ParsedLine:
    try:
        if isinstance(run, UnfitLine):
            raise run
        check_depth(message, depth_limit)
        drafts, heads = run.take(message, path)
    except UnfitLine as unfit:
        return quarantine(_as_line(number, message), unfit)
    return ParsedLine(number, Disposition.PRODUCED, drafts=drafts, heads=heads)


def _as_line(number: int, value: Any) -> RawLine:
    """A message of a document as the line it would be, for its excerpt and hash."""
    body = repr(value).encode("utf-8", errors="backslashreplace")
    return RawLine(number, body, len(body), ended=True)


def _conversations(document: Any, source_name: str) -> Iterator[tuple[Run | UnfitLine, str, list[Any]]]:
    """Each conversation of a document with where its messages stand. What is none comes out as one unfit message."""
    if isinstance(document, dict):
        yield _conversation(document, source_name, "", "")
    elif not any(isinstance(value, list) or (isinstance(value, dict) and messages_of(value)) for value in document):
        yield Run(run_key(source_name, "")), "", document
    else:
        for number, value in enumerate(document):
            yield _conversation(value, source_name, f"[{number}]", f"run-{number}")


def _conversation(value: Any, source_name: str, path: str, place: str) -> tuple[Run | UnfitLine, str, list[Any]]:
    if isinstance(value, list):
        return Run(run_key(source_name, place)), path, value
    name = messages_of(value) if isinstance(value, dict) else ""
    if not name:
        return _no_conversation(value, path), path, [value]
    where = f"{path}.{name}".lstrip(".")
    try:
        return run_of(value, source_name, place), where, value[name]
    except UnfitLine as unfit:
        return unfit, where, value[name]


def _no_conversation(value: Any, field: str) -> UnfitLine:
    if isinstance(value, dict) and isinstance(value.get("messages_display"), str):
        detail = "a text made for reading: where a message ends and what was called can't be told for certain"
        return UnfitLine("rendered_text", field="messages_display", detail=detail)
    names = ", ".join(list(value)[:8]) if isinstance(value, dict) else kind_of(value)
    return UnfitLine("not_a_conversation", field=field, detail=f"expected messages, found {names[:200]}")


class _Lines:
    """JSON lines: lines that are messages make one conversation; lines that hold messages are conversations of their own."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._run = Run(run_key(source.name, ""))

    def take(self, line: RawLine) -> ParsedLine:
        if not line.body.strip():
            return fold(line.number, "blank")
        before = copy.copy(self._run)
        drafts: list[ParsedEvent] = []
        heads: list[SessionHead] = []
        try:
            for number, value in enumerate(decode_line_values(line, limit_bytes=self._source.line_limit_bytes)):
                check_depth(value, self._source.depth_limit)
                for made, told in self._take_value(value, f"line-{line.number}" + (f".{number}" if number else "")):
                    drafts += made
                    heads += told
        except UnfitLine as unfit:
            before.skip()
            self._run = before
            return quarantine(line, unfit)
        if not drafts:
            return fold(line.number, "empty_conversation")
        return ParsedLine(line.number, Disposition.PRODUCED, drafts=tuple(drafts), heads=tuple(heads))

    def _take_value(self, value: Any, place: str) -> Iterator[tuple[tuple[ParsedEvent, ...], tuple[SessionHead, ...]]]:
        if isinstance(value, dict) and "role" in value:
            yield self._run.take(value, "")
            return
        run, where, messages = _conversation(value, self._source.name, "", place)
        if isinstance(run, UnfitLine):
            raise run
        for index, message in enumerate(messages):
            yield run.take(message, f"{where}[{index}].")
