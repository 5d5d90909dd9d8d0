"""The preimage, field by field, against the published vectors."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from contextapp.evidence import chain

VECTORS = Path(__file__).parents[2] / "docs" / "vectors.json"
HEADER = chain.EventHeader(
    project_id=UUID(int=1),
    session_id=UUID(int=2),
    seq=3,
    event_id=UUID(int=4),
    type="user.message",
    schema_version=1,
    visibility="model",
    occurred_at=None,
    recorded_at=datetime(2026, 1, 2, 3, 4, 5, 678901, UTC),
    actor="tester",
    api_key_id=None,
    payload_commit=bytes(32),
    payload_len=2,
    prev_hash=chain.GENESIS,
)


def header_of(vector: dict[str, Any]) -> chain.EventHeader:
    given = vector["event"]
    return chain.EventHeader(
        project_id=UUID(given["project_id"]),
        session_id=UUID(given["session_id"]),
        seq=given["seq"],
        event_id=UUID(given["event_id"]),
        type=given["type"],
        schema_version=given["schema_version"],
        visibility=given["visibility"],
        occurred_at=given["occurred_at"] and datetime.fromisoformat(given["occurred_at"]),
        recorded_at=datetime.fromisoformat(given["recorded_at"]),
        actor=given["actor"],
        api_key_id=given["api_key_id"] and UUID(given["api_key_id"]),
        payload_commit=bytes.fromhex(given["payload_commit"]),
        payload_len=given["payload_len"],
        prev_hash=bytes.fromhex(given["prev_hash"]),
        hash_version=given["hash_version"],
    )


def test_the_published_vectors_hold() -> None:
    vectors = json.loads(VECTORS.read_text())["vectors"]

    for vector in vectors:
        header = header_of(vector)
        body = vector["payload"].encode()
        assert chain.payload_commit(bytes.fromhex(vector["salt"]), body) == header.payload_commit
        assert len(body) == header.payload_len
        assert chain.preimage(header).hex() == vector["preimage"]
        assert chain.event_hash(header).hex() == vector["hash"]
    assert len(vectors) == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"project_id": UUID(int=9)},
        {"session_id": UUID(int=9)},
        {"seq": 4},
        {"event_id": UUID(int=9)},
        {"type": "user.messages"},
        {"schema_version": 2},
        {"visibility": "audit"},
        {"occurred_at": datetime(1970, 1, 1, tzinfo=UTC)},
        {"recorded_at": HEADER.recorded_at + timedelta(microseconds=1)},
        {"actor": "tester "},
        {"api_key_id": UUID(int=0)},
        {"payload_commit": b"\1" * 32},
        {"payload_len": 3},
        {"prev_hash": b"\1" * 32},
        {"hash_version": 2},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_every_column_is_in_the_hash(changes: dict[str, Any]) -> None:
    assert chain.event_hash(replace(HEADER, **changes)) != chain.event_hash(HEADER)


def test_a_time_is_the_same_in_every_zone() -> None:
    shanghai = HEADER.recorded_at.astimezone(timezone(timedelta(hours=8)))

    assert chain.event_hash(replace(HEADER, recorded_at=shanghai)) == chain.event_hash(HEADER)


def test_text_can_not_move_from_one_field_into_the_next() -> None:
    one = replace(HEADER, type="a.b", actor="cd")
    other = replace(HEADER, type="a.bc", actor="d")

    assert chain.preimage(one) != chain.preimage(other)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_salt_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=f"salt has {length} bytes"):
        chain.payload_commit(bytes(length), b"{}")
