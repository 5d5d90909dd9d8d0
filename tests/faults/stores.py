"""What the conformance rules ask of a store, and the plainest store that keeps them all: lists in memory, one lock."""

from __future__ import annotations

import copy
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol
from uuid import UUID, uuid4

from contextapp.eventlog.values import Draft
from contextapp.evidence import canonical
from contextapp.evidence.chain import GENESIS, EventHeader, event_hash, payload_commit


class Refused(Exception):
    """The batch is not taken, by a rule; nothing was written."""


class Failed(Exception):
    """The write broke on the way; the writer does not know what is stored."""


@dataclass(frozen=True, slots=True)
class Answer:
    seqs: tuple[int, ...]
    duplicates: tuple[bool, ...]
    head_seq: int


@dataclass(frozen=True, slots=True)
class Record:
    """One stored event; `salt` and `body` are gone after erasure."""

    header: EventHeader
    hash: bytes
    salt: bytes | None
    body: bytes | None


class Store(Protocol):
    def open(self) -> UUID: ...

    def append(
        self, session: UUID, drafts: Sequence[Draft], *, expected_seq: int | None = None, fail: bool = False
    ) -> Answer:
        """`fail` breaks the write after its last statement and before its commit: raises Failed."""

    def crash(self) -> None:
        """What is not on the disk is gone."""

    def rows(self, session: UUID) -> list[Record]: ...

    def head(self, session: UUID) -> tuple[int, bytes]: ...

    def verify(self, session: UUID) -> bool: ...

    def erase(self, session: UUID) -> None: ...

    def tamper(self, session: UUID, seq: int, **columns: Any) -> None:
        """Change columns of a stored event as somebody who owns the storage could; `hash` is one of them."""

    def remove(self, session: UUID, seq: int, *, payload_only: bool = False) -> None: ...


@dataclass(slots=True)
class Stream:
    project: UUID
    records: list[Record] = field(default_factory=list)
    head: tuple[int, bytes] = (0, GENESIS)
    redacted_to: int = 0


class MemoryStore:
    """Each step of the write is a method, so that a broken store can break exactly one."""

    def __init__(self) -> None:
        self.streams: dict[UUID, Stream] = {}
        self.durable: dict[UUID, Stream] = {}
        self.lock: Any = threading.RLock()  # a lock, or what a broken store has in its place

    def open(self) -> UUID:
        session = uuid4()
        self.streams[session] = Stream(project=uuid4())
        self.commit()
        return session

    def append(
        self, session: UUID, drafts: Sequence[Draft], *, expected_seq: int | None = None, fail: bool = False
    ) -> Answer:
        with self.lock:
            before = copy.deepcopy(self.streams[session])
            try:
                answer = self.write(session, drafts, expected_seq)
                if fail:
                    raise Failed
            except (Refused, Failed):
                self.roll_back(session, before)
                raise
            self.commit()
            return answer

    def write(self, session: UUID, drafts: Sequence[Draft], expected_seq: int | None) -> Answer:
        stream = self.streams[session]
        if not drafts:
            return self.write_nothing(stream)
        seqs: list[int] = []
        duplicates: list[bool] = []
        start = stream.head[0]
        for draft in drafts:
            self.check(draft)
            stored = self.find(session, draft.event_id)
            if stored is not None:
                self.compare(stream, stored, draft)
                seqs.append(stored.header.seq)
                duplicates.append(True)
                continue
            if expected_seq is not None and expected_seq != start:
                raise Refused(f"expected {expected_seq}, at {start}")
            record = self.record(session, stream, draft, self.next_seq(stream))
            stream.records.append(record)
            seqs.append(record.header.seq)
            duplicates.append(False)
        if not all(duplicates):
            self.move_head(stream)
        return Answer(tuple(seqs), tuple(duplicates), stream.head[0])

    def write_nothing(self, stream: Stream) -> Answer:
        return Answer((), (), stream.head[0])

    def check(self, draft: Draft) -> None:
        if not 0 < len(draft.type) <= 100:
            raise Refused("type")

    def find(self, session: UUID, event_id: UUID) -> Record | None:
        return next((each for each in self.streams[session].records if each.header.event_id == event_id), None)

    def compare(self, stream: Stream, stored: Record, draft: Draft) -> None:
        if stored.header.type != draft.type or stored.body not in (None, canonical.encode(draft.payload)):
            raise Refused(f"{draft.event_id} is stored with other content")

    def next_seq(self, stream: Stream) -> int:
        return stream.records[-1].header.seq + 1 if stream.records else 1

    def record(self, session: UUID, stream: Stream, draft: Draft, seq: int) -> Record:
        body, salt = canonical.encode(draft.payload), self.salt()
        header = EventHeader(
            project_id=stream.project,
            session_id=session,
            seq=seq,
            event_id=draft.event_id,
            type=draft.type,
            schema_version=draft.schema_version,
            visibility=draft.visibility,
            occurred_at=draft.occurred_at,
            recorded_at=datetime.now(UTC),
            actor="test",
            api_key_id=None,
            payload_commit=payload_commit(salt, body),
            payload_len=len(body),
            prev_hash=self.previous_hash(stream),
        )
        return Record(header, self.hash(header), salt, body)

    def salt(self) -> bytes:
        return secrets.token_bytes(32)

    def previous_hash(self, stream: Stream) -> bytes:
        return stream.records[-1].hash if stream.records else GENESIS

    def hash(self, header: EventHeader) -> bytes:
        return event_hash(header)

    def move_head(self, stream: Stream) -> None:
        last = stream.records[-1]
        stream.head = (last.header.seq, last.hash)

    def roll_back(self, session: UUID, before: Stream) -> None:
        self.streams[session] = before

    def commit(self) -> None:
        self.durable = copy.deepcopy(self.streams)

    def crash(self) -> None:
        self.streams = copy.deepcopy(self.durable)

    def rows(self, session: UUID) -> list[Record]:
        return list(self.streams[session].records)

    def head(self, session: UUID) -> tuple[int, bytes]:
        return self.streams[session].head

    def verify(self, session: UUID) -> bool:
        stream, previous = self.streams[session], GENESIS
        for place, record in enumerate(stream.records, 1):
            if record.header.seq != place or not self.is_linked(record, previous):
                return False
            if record.hash != self.hash(record.header) or not self.has_its_payload(stream, record):
                return False
            previous = record.hash
        return stream.head == (len(stream.records), previous)

    def is_linked(self, record: Record, previous: bytes) -> bool:
        return record.header.prev_hash == previous

    def has_its_payload(self, stream: Stream, record: Record) -> bool:
        if record.salt is None or record.body is None:
            return record.header.seq <= stream.redacted_to
        return payload_commit(record.salt, record.body) == record.header.payload_commit

    def erase(self, session: UUID) -> None:
        with self.lock:
            stream = self.streams[session]
            stream.redacted_to = stream.head[0]
            self.drop_payloads(stream)
            self.write(session, [Draft(uuid4(), "event.redacted", {"last_seq": stream.redacted_to})], None)
            self.commit()

    def drop_payloads(self, stream: Stream) -> None:
        stream.records = [replace(record, salt=None, body=None) for record in stream.records]

    def tamper(self, session: UUID, seq: int, **columns: Any) -> None:
        records = self.streams[session].records
        place = next(index for index, record in enumerate(records) if record.header.seq == seq)
        found = columns.pop("hash", records[place].hash)
        records[place] = replace(records[place], header=replace(records[place].header, **columns), hash=found)

    def remove(self, session: UUID, seq: int, *, payload_only: bool = False) -> None:
        records = self.streams[session].records
        place = next(index for index, record in enumerate(records) if record.header.seq == seq)
        if payload_only:
            records[place] = replace(records[place], salt=None, body=None)
        else:
            del records[place]
