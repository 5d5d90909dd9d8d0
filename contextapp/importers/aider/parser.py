"""Walks a chat history of Aider, block by block. It is written for people: who said a line is told by how it begins, so an
answer that quotes `> ` or `#### ` is cut there. Makes up no result and no call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from contextapp.engine import events
from contextapp.importers.arrays import answers
from contextapp.importers.contract import Disposition, Format, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key
from contextapp.importers.decoding import decode_text
from contextapp.importers.identity import Fact
from contextapp.importers.lines import RawLine, fold, quarantine, read_lines
from contextapp.importers.openhands_v0.actions import included

FORMAT_NAME = "aider"
_START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
_HEAD = re.compile(rb"^# aider chat started at \d{4}-", re.MULTILINE)
_TOKENS = re.compile(
    r"Tokens: ([\d.,]+k?) sent, (?:([\d.,]+k?) cache write, )?(?:([\d.,]+k?) cache hit, )?([\d.,]+k?) re"
)
_MODEL = re.compile(r"(?:Main model|Models?): (\S+?),? with ")
_VERSION = re.compile(r"Aider v(\S+)")


def parse(source: Source) -> Iterator[ParsedLine]:
    return _History(source.name).lines(source)


def recognise(head: bytes, name: str) -> bool:
    return bool(_HEAD.search(head))


class _History:
    def __init__(self, source_name: str) -> None:
        self._source = source_name
        self._chats = 0
        self._conversation = self._new()
        self._kind, self._block = "", list[tuple[int, str]]()
        self._answer = ""
        self._at: datetime | None = None

    def lines(self, source: Source) -> Iterator[ParsedLine]:
        for line in read_lines(source.stream, limit_bytes=source.line_limit_bytes):
            try:
                text = _text_of(line, source.line_limit_bytes)
            except UnfitLine as unfit:
                yield from self._flush()
                yield quarantine(line, unfit)
                continue
            yield from self._take(line.number, text)
        yield from self._flush()

    def _take(self, number: int, text: str) -> Iterator[ParsedLine]:
        if started := _START.fullmatch(text):
            yield from self._flush()
            self._chats += 1
            self._conversation, self._answer = self._new(), ""
            self._at = _local(started[1])
            yield fold(number, "chat_start")
            return
        kind = "user" if text.startswith("####") else "shown" if text.startswith(">") else "answer"
        if kind == "answer" and not text.strip() and self._kind != "answer":
            yield from self._flush()
            yield fold(number, "blank")
            return
        if kind != self._kind:
            yield from self._flush()
            self._kind = kind
        self._block.append((number, text))

    def _flush(self) -> Iterator[ParsedLine]:
        """The block that has ended: its first line makes the events, the others belong to it."""
        block, kind = self._block, self._kind
        self._block, self._kind = [], ""
        if not block:
            return
        first = block[0][0]
        drafts, heads = self._conversation.accept(self._said(kind, first, [text for _, text in block]), f"line:{first}")
        yield ParsedLine(first, Disposition.PRODUCED, drafts=drafts, heads=heads)
        for number, _ in block[1:]:
            yield fold(number, "part_of_block")

    def _said(self, kind: str, first: int, lines: list[str]) -> Said:
        native = f"line:{first}"
        if kind == "answer":
            self._answer = native
            return Said((answers.message("\n".join(lines).strip("\n"), native),), at=self._at)
        text = "\n".join(line.removeprefix("####" if kind == "user" else ">").strip() for line in lines).strip("\n")
        if kind == "user" and not text.startswith("/"):
            return Said((Fact(events.USER_MESSAGE, {"text": text, "message_id": native}),), at=self._at)
        name = "command" if kind == "user" else "terminal"
        shown = replace(included(name, f"{name} of the chat", text, native), visibility="ui")
        model, version = _MODEL.search(text), _VERSION.search(text)
        told = (("model", model[1] if model else ""), ("agent_version", version[1] if version else ""))
        return Said((shown, *self._bills(text)), at=self._at, told=told)

    def _bills(self, text: str) -> Iterator[Fact]:
        for found in _TOKENS.finditer(text):
            sent, wrote, read, received = [_count(part) for part in found.groups()]
            payload = {"message_id": self._answer, "model": "", "input_uncached": max(sent - wrote - read, 0)}
            payload |= {"cache_read": read, "cache_write": wrote, "output": received, "reasoning": None}
            is_exact = "k" not in found[0] and bool(self._answer)
            yield Fact(events.USAGE_REPORTED, payload | {"quality": "exact" if is_exact else "cumulative"})

    def _new(self) -> Conversation:
        key = file_key(FORMAT_NAME, self._source, f"chat-{self._chats}")
        head = SessionHead(key=key, native_id=key, agent="aider")
        created = {"agent": "aider", "fidelity": "low"}
        return Conversation(format_name=FORMAT_NAME, head=head, created=created)


def _text_of(line: RawLine, limit_bytes: int) -> str:
    if line.is_overlong:
        raise UnfitLine("line_too_long", detail=f"{line.size_bytes:,} bytes; the limit is {limit_bytes:,}")
    return decode_text(line.body)


def _local(text: str) -> datetime | None:
    """A time of a place that the file does not name; it is read as UTC and sorts nothing."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None


def _count(text: str | None) -> int:
    """`5,244` or `5.2k`; the second is rounded."""
    figure = (text or "0").rstrip(".,")
    try:
        if figure.endswith("k"):
            return int(float(figure[:-1].replace(",", "")) * 1000)
        return int(figure.replace(",", ""))
    except ValueError:
        return 0


FORMAT = Format(
    name=FORMAT_NAME,
    label="Aider",
    looked_for='an Aider chat history (lines "# aider chat started at ...")',
    recognise=recognise,
    parse=parse,
)
