"""Stores that each break one thing, as real products did. What each must fail is written beside it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from contextapp.eventlog.values import Draft
from contextapp.evidence import canonical
from contextapp.evidence.chain import GENESIS, EventHeader, event_hash
from tests.faults.stores import Answer, MemoryStore, Record, Refused, Stream

BROKEN: dict[type[MemoryStore], set[str]] = {}


def fails(*rules: str):  # type: ignore[no-untyped-def]  # a decorator of classes
    def register(store: type[MemoryStore]) -> type[MemoryStore]:
        BROKEN[store] = set(rules)
        return store

    return register


@fails("a_failed_append_leaves_no_gap")
class GapOnRollback(MemoryStore):
    """Numbers come from a sequence, which a rollback does not give back."""

    def __init__(self) -> None:
        super().__init__()
        self.sequences: dict[int, int] = {}

    def next_seq(self, stream: Stream) -> int:
        at = stream.project.int
        self.sequences[at] = self.sequences.get(at, 0) + 1
        return self.sequences[at]


@fails("what_was_answered_outlives_a_crash")
class AnsweredBeforeCommit(MemoryStore):
    """The answer goes out with the write still in memory; the next one carries it to the disk."""

    def append(
        self, session: UUID, drafts: Sequence[Draft], *, expected_seq: int | None = None, fail: bool = False
    ) -> Answer:
        self.durable = self.copied()
        return super().append(session, drafts, expected_seq=expected_seq, fail=fail)

    def commit(self) -> None:
        if not self.durable.keys() >= self.streams.keys():
            super().commit()  # opening a session

    def copied(self) -> dict[UUID, Stream]:
        return {key: replace(stream, records=list(stream.records)) for key, stream in self.streams.items()}


@fails("a_retry_after_a_failed_write_stores_the_event")
class SeenKeyFirst(MemoryStore):
    """The id is noted as seen before the write, so the retry of a failed one is skipped for good."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[tuple[UUID, UUID], Record] = {}

    def record(self, session: UUID, stream: Stream, draft: Draft, seq: int) -> Record:
        made = super().record(session, stream, draft, seq)
        self.seen[session, draft.event_id] = made
        return made

    def find(self, session: UUID, event_id: UUID) -> Record | None:
        return self.seen.get((session, event_id))


@fails("a_retry_keeps_its_seq_and_is_named_a_duplicate", "an_id_with_other_content_is_refused_and_changes_nothing")
class StoresRetriesAgain(MemoryStore):
    """No look for the id: at-least-once delivery becomes more than once."""

    def find(self, session: UUID, event_id: UUID) -> Record | None:
        return None


@fails("an_id_with_other_content_is_refused_and_changes_nothing")
class LastWins(MemoryStore):
    """The same id with other content replaces what is stored."""

    def compare(self, stream: Stream, stored: Record, draft: Draft) -> None:
        place = stream.records.index(stored)
        stream.records[place] = replace(stored, body=canonical.encode(draft.payload))


@fails("a_stale_expected_seq_is_refused")
class NoExpectedSeq(MemoryStore):
    """The condition is accepted and not looked at."""

    def write(self, session: UUID, drafts: Sequence[Draft], expected_seq: int | None) -> Answer:
        return super().write(session, drafts, None)


@fails("a_commitment_tells_nothing_of_its_content")
class Unsalted(MemoryStore):
    """A short payload can be guessed from what is left after erasure."""

    def salt(self) -> bytes:
        return bytes(32)


@fails("a_change_of_any_column_is_found")
class HashLeavesOutAColumn(MemoryStore):
    """Who wrote the event is not in the preimage."""

    def hash(self, header: EventHeader) -> bytes:
        return event_hash(replace(header, actor="test"))


@fails("a_change_of_any_column_is_found")
class HashIsNotChecked(MemoryStore):
    """Verification follows the links and believes each hash."""

    def verify(self, session: UUID) -> bool:
        return [record.header.seq for record in self.rows(session)] == list(
            range(1, len(self.rows(session)) + 1)
        ) and self._follows(session)

    def _follows(self, session: UUID) -> bool:
        stream, previous = self.streams[session], GENESIS
        for record in stream.records:
            if record.header.prev_hash != previous or not self.has_its_payload(stream, record):
                return False
            previous = record.hash
        return stream.head == (len(stream.records), previous)


@fails("an_event_forged_with_a_hash_of_its_own_is_found")
class Unlinked(MemoryStore):
    """Each event has a good hash, and none holds the one before."""

    def previous_hash(self, stream: Stream) -> bytes:
        return GENESIS

    def is_linked(self, record: Record, previous: bytes) -> bool:
        return record.header.prev_hash == GENESIS


@fails(
    "a_retry_keeps_its_seq_and_is_named_a_duplicate",
    "a_stale_expected_seq_is_refused",
    "an_empty_batch_writes_nothing",
    "an_undisturbed_log_verifies",
    "erasure_takes_the_content_and_leaves_the_record",
    "the_head_follows_the_last_event",
)
class HeadStays(MemoryStore):
    """The events are written and the head is forgotten."""

    def move_head(self, stream: Stream) -> None:
        pass


@fails("an_empty_batch_writes_nothing")
class EmptyBatchMovesTheHead(MemoryStore):
    """A batch of nothing counts as one."""

    def write_nothing(self, stream: Stream) -> Answer:
        stream.head = (stream.head[0] + 1, stream.head[1])
        return Answer((), (), stream.head[0])


@fails("a_batch_is_all_or_nothing")
class PartOfABatch(MemoryStore):
    """What stands before the bad event stays, and the writer is told that the batch was refused."""

    def append(
        self, session: UUID, drafts: Sequence[Draft], *, expected_seq: int | None = None, fail: bool = False
    ) -> Answer:
        try:
            return super().append(session, drafts, expected_seq=expected_seq, fail=fail)
        except Refused:
            for draft in drafts:
                if self.find(session, draft.event_id) or expected_seq is not None:
                    break
                super().append(session, [draft])
            raise


@fails("an_id_belongs_to_its_session")
class GlobalIds(MemoryStore):
    """One id in the whole installation: tenants can block each other, and learn of each other's ids."""

    def find(self, session: UUID, event_id: UUID) -> Record | None:
        found = (super(GlobalIds, self).find(each, event_id) for each in self.streams)
        return next((record for record in found if record is not None), None)


@fails("order_is_arrival_and_not_what_the_writer_claims")
class OrderedByClaim(MemoryStore):
    """Read in the order of the writer's clock."""

    def rows(self, session: UUID) -> list[Record]:
        last = datetime.max.replace(tzinfo=UTC)
        return sorted(super().rows(session), key=lambda record: record.header.occurred_at or last)


@fails("writers_at_once_leave_no_gap")
class NoLock(MemoryStore):
    """Reads the last number, thinks, writes: two writers take the same."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = contextlib.nullcontext()

    def next_seq(self, stream: Stream) -> int:
        found = super().next_seq(stream)
        time.sleep(0.001)
        return found


@fails("a_payload_missing_without_a_redaction_is_found")
class MissingIsErased(MemoryStore):
    """Any payload that is not there is taken for an erased one."""

    def has_its_payload(self, stream: Stream, record: Record) -> bool:
        return record.body is None or super().has_its_payload(stream, record)


@fails("erasure_takes_the_content_and_leaves_the_record")
class ErasesNothing(MemoryStore):
    """The redaction is written and the bytes stay."""

    def drop_payloads(self, stream: Stream) -> None:
        pass


@fails("erasure_takes_the_content_and_leaves_the_record")
class ErasesWithoutRecord(MemoryStore):
    """The bytes go and nobody says so."""

    def erase(self, session: UUID) -> None:
        self.drop_payloads(self.streams[session])


@fails("a_removed_event_is_found")
class GapIsFine(MemoryStore):
    """Verification walks what is there, wherever it starts, and asks no head."""

    def verify(self, session: UUID) -> bool:
        stream = self.streams[session]
        previous = stream.records[0].header.prev_hash if stream.records else GENESIS
        for record in stream.records:
            if not self.is_linked(record, previous) or record.hash != self.hash(record.header):
                return False
            if not self.has_its_payload(stream, record):
                return False
            previous = record.hash
        return True
