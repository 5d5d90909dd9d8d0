"""The rules that any store of the log must keep. Each is a function of a store; it raises AssertionError where it is broken."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest

from contextapp.eventlog.values import Draft
from contextapp.evidence.chain import event_hash
from tests.faults.stores import Failed, Record, Refused, Store

RULES: dict[str, Callable[[Store], None]] = {}


def rule(function: Callable[[Store], None]) -> Callable[[Store], None]:
    RULES[function.__name__] = function
    return function


def said(text: str = "one", event_id: UUID | None = None, **others: Any) -> Draft:
    return Draft(event_id or uuid4(), "user.message", {"text": text}, **others)


def seqs(store: Store, session: UUID) -> list[int]:
    return [record.header.seq for record in store.rows(session)]


def texts(store: Store, session: UUID) -> list[bytes | None]:
    return [record.body for record in store.rows(session)]


@rule
def events_are_numbered_without_gap(store: Store) -> None:
    session = store.open()
    answers = [store.append(session, [said(), said()]) for _ in range(3)]

    assert [answer.seqs for answer in answers] == [(1, 2), (3, 4), (5, 6)]
    assert sorted(seqs(store, session)) == [1, 2, 3, 4, 5, 6]


@rule
def a_failed_append_leaves_no_gap(store: Store) -> None:
    session = store.open()
    store.append(session, [said()])
    with pytest.raises(Failed):
        store.append(session, [said(), said()], fail=True)

    assert store.append(session, [said()]).seqs == (2,)


@rule
def what_was_answered_outlives_a_crash(store: Store) -> None:
    session = store.open()
    for _ in range(2):
        store.append(session, [said()])

    store.crash()

    assert len(store.rows(session)) == 2


@rule
def a_retry_after_a_failed_write_stores_the_event(store: Store) -> None:
    session, draft = store.open(), said()
    with pytest.raises(Failed):
        store.append(session, [draft], fail=True)

    store.append(session, [draft])

    assert [record.header.event_id for record in store.rows(session)] == [draft.event_id]


@rule
def a_retry_keeps_its_seq_and_is_named_a_duplicate(store: Store) -> None:
    session, draft = store.open(), said()
    store.append(session, [said(), draft])

    again = store.append(session, [draft])

    assert (again.seqs, again.duplicates, again.head_seq) == ((2,), (True,), 2)
    assert len(store.rows(session)) == 2


@rule
def an_id_with_other_content_is_refused_and_changes_nothing(store: Store) -> None:
    session, draft = store.open(), said("first")
    store.append(session, [draft])
    before = texts(store, session)

    with pytest.raises(Refused):
        store.append(session, [said("second", draft.event_id)])

    assert texts(store, session) == before


@rule
def a_stale_expected_seq_is_refused(store: Store) -> None:
    session = store.open()
    store.append(session, [said()])

    with pytest.raises(Refused):
        store.append(session, [said()], expected_seq=0)

    assert len(store.rows(session)) == 1
    assert store.append(session, [said()], expected_seq=1).seqs == (2,)


@rule
def an_empty_batch_writes_nothing(store: Store) -> None:
    session = store.open()
    store.append(session, [said()])
    before = (store.rows(session), store.head(session))

    answer = store.append(session, [])

    assert (answer.seqs, answer.head_seq) == ((), 1)
    assert (store.rows(session), store.head(session)) == before


@rule
def a_batch_is_all_or_nothing(store: Store) -> None:
    session = store.open()

    with pytest.raises(Refused):
        store.append(session, [said(), Draft(uuid4(), "x" * 101, {}), said()])

    assert store.rows(session) == []


@rule
def an_id_belongs_to_its_session(store: Store) -> None:
    first, second, event_id = store.open(), store.open(), uuid4()
    store.append(first, [said("of the first", event_id)])

    answer = store.append(second, [said("of the second", event_id)])

    assert (answer.seqs, answer.duplicates) == ((1,), (False,))


@rule
def order_is_arrival_and_not_what_the_writer_claims(store: Store) -> None:
    session, now = store.open(), datetime(2026, 1, 1, tzinfo=UTC)
    claims = [now, now - timedelta(days=1), now + timedelta(days=3650), now]
    store.append(session, [said(occurred_at=claimed) for claimed in claims])

    assert [record.header.occurred_at for record in store.rows(session)] == claims


@rule
def a_commitment_tells_nothing_of_its_content(store: Store) -> None:
    session = store.open()
    store.append(session, [said("yes"), said("yes")])
    first, second = store.rows(session)

    assert first.header.payload_commit != second.header.payload_commit
    assert first.header.payload_commit != sha256(first.body or b"").digest()


@rule
def the_head_follows_the_last_event(store: Store) -> None:
    session = store.open()
    store.append(session, [said(), said()])

    assert store.head(session) == (2, store.rows(session)[-1].hash)


@rule
def writers_at_once_leave_no_gap(store: Store) -> None:
    session, start = store.open(), threading.Barrier(4)

    def write() -> None:
        start.wait()
        for _ in range(5):
            store.append(session, [said(), said()])

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert sorted(seqs(store, session)) == list(range(1, 41))


@rule
def an_undisturbed_log_verifies(store: Store) -> None:
    session = store.open()
    store.append(session, [said(), said(occurred_at=datetime(2026, 1, 1, tzinfo=UTC))])

    assert store.verify(session)


CHANGES: dict[str, Callable[[Record], Any]] = {
    "project_id": lambda record: uuid4(),
    "event_id": lambda record: uuid4(),
    "type": lambda record: "tool.completed",
    "schema_version": lambda record: 2,
    "visibility": lambda record: "ui",
    "occurred_at": lambda record: datetime(2020, 1, 1, tzinfo=UTC),
    "recorded_at": lambda record: record.header.recorded_at + timedelta(microseconds=1),
    "actor": lambda record: "somebody else",
    "api_key_id": lambda record: uuid4(),
    "payload_commit": lambda record: bytes(32),
    "payload_len": lambda record: record.header.payload_len + 1,
    "prev_hash": lambda record: bytes([7]) * 32,
    "hash": lambda record: bytes([9]) * 32,
}


@rule
def a_change_of_any_column_is_found(store: Store) -> None:
    unseen = []
    for column, change in CHANGES.items():
        session = store.open()
        store.append(session, [said(), said(), said()])
        store.tamper(session, 2, **{column: change(store.rows(session)[1])})
        if store.verify(session):
            unseen.append(column)

    assert unseen == []


@rule
def an_event_forged_with_a_hash_of_its_own_is_found(store: Store) -> None:
    session = store.open()
    store.append(session, [said(), said(), said()])
    forged = replace(store.rows(session)[1].header, actor="somebody else")

    store.tamper(session, 2, actor="somebody else", hash=event_hash(forged))

    assert not store.verify(session)


@rule
def a_removed_event_is_found(store: Store) -> None:
    for seq in (1, 2, 3):
        session = store.open()
        store.append(session, [said(), said(), said()])

        store.remove(session, seq)

        assert not store.verify(session)


@rule
def a_payload_missing_without_a_redaction_is_found(store: Store) -> None:
    session = store.open()
    store.append(session, [said(), said()])

    store.remove(session, 1, payload_only=True)

    assert not store.verify(session)


@rule
def erasure_takes_the_content_and_leaves_the_record(store: Store) -> None:
    session = store.open()
    store.append(session, [said(), said()])

    store.erase(session)

    *erased, redaction = store.rows(session)
    assert [(record.salt, record.body) for record in erased] == [(None, None)] * 2
    assert redaction.header.type == "event.redacted"
    assert store.verify(session)
