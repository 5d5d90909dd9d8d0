"""Walks a rollout in line order and gives each line its one disposition. Timestamps order nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from contextapp.importers import fields
from contextapp.importers.codex.envelope import SESSION_META, Envelope, open_record
from contextapp.importers.codex.meta import native_id, parent_of
from contextapp.importers.codex.reading import Calls, Reading
from contextapp.importers.codex.records import read_record
from contextapp.importers.codex.replay import Replay
from contextapp.importers.codex.session import AGENT, FORMAT_NAME, SessionWalk
from contextapp.importers.contract import Disposition, ParsedEvent, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.decoding import decode_objects
from contextapp.importers.identity import Ordinals, content_hash, safe_key
from contextapp.importers.lines import RawLine, fold, quarantine, read_lines

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_NOTHING = SessionHead(key="", native_id="", agent=AGENT)


def parse(source: Source) -> Iterator[ParsedLine]:
    walk = _Walk(source)
    for line in read_lines(source.stream, limit_bytes=source.line_limit_bytes):
        yield walk.take(line)


class _Walk:
    """A file is one session, whatever other heads it repeats."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._ordinals = Ordinals()
        self._session: SessionWalk | None = None
        self._replay = Replay("", is_fork=False)

    def take(self, line: RawLine) -> ParsedLine:
        if not line.body.strip():
            return fold(line.number, "blank")
        try:
            records = decode_objects(
                line, limit_bytes=self._source.line_limit_bytes, depth_limit=self._source.depth_limit
            )
            opened = [open_record(record) for record in records]
            read = [(envelope, read_record(envelope, self._calls())) for envelope in opened]
        except UnfitLine as unfit:
            return quarantine(line, unfit)
        drafts: list[ParsedEvent] = []
        heads: list[SessionHead] = []
        reasons: list[str] = []
        for envelope, reading in read:
            made, reason = self._place(envelope, reading, heads)
            drafts += made
            reasons.append(reason)
        if drafts:
            return ParsedLine(line.number, Disposition.PRODUCED, drafts=tuple(drafts), heads=tuple(heads))
        return ParsedLine(line.number, Disposition.FOLDED, reason=reasons[0] or "empty", heads=tuple(heads))

    def _calls(self) -> Calls:
        return self._session.calls if self._session else {}

    def _place(
        self, envelope: Envelope, reading: Reading, heads: list[SessionHead]
    ) -> tuple[tuple[ParsedEvent, ...], str]:
        session = self._session
        is_other_head = False
        told = _NOTHING
        if envelope.kind == SESSION_META:
            own = native_id(envelope.payload)
            is_other_head = session is not None and own != session.head.native_id
            told = _head(own, envelope)
        if session is None:
            session = self._open(envelope, told)
            is_copy = False
        else:
            is_copy = self._replay.holds(envelope, is_other_head=is_other_head)
        if is_other_head:  # a parent's, whether its history follows or not
            parent = SessionHead(key="", native_id="", agent=AGENT, parent_key=told.key) if is_copy else _NOTHING
            heads += session.retold(Reading(), parent, envelope.at)
            return (), "replayed" if is_copy else "other_session"
        heads += session.retold(Reading() if is_copy else reading, told, envelope.at)
        accept = session.replayed if is_copy else session.accept
        return accept(reading, lambda: self._ordinals.name(envelope.record), envelope.at)

    def _open(self, envelope: Envelope, told: SessionHead) -> SessionWalk:
        if told.native_id:
            self._replay = Replay(
                told.native_id, is_fork="forked_from_id" in envelope.payload and bool(told.parent_key)
            )
            self._session = SessionWalk(SessionHead(key=told.key, native_id=told.native_id, agent=AGENT))
            return self._session
        stem = PurePath(self._source.name).stem
        named = _UUID.search(stem)
        own = named[0] if named else "unnamed-" + content_hash([stem, envelope.record])[:24]
        self._session = SessionWalk(SessionHead(key=f"{FORMAT_NAME}:{safe_key(own)}", native_id=own, agent=AGENT))
        return self._session


def _head(own: str, envelope: Envelope) -> SessionHead:
    payload = envelope.payload
    parent = parent_of(payload)
    return SessionHead(
        key=f"{FORMAT_NAME}:{safe_key(own)}" if own else "",
        native_id=own,
        agent=AGENT,
        agent_version=fields.string(payload, "cli_version"),
        cwd=fields.string(payload, "cwd"),
        parent_key=f"{FORMAT_NAME}:{safe_key(parent)}" if parent and parent != own else "",
        started_at=envelope.at,
    )
