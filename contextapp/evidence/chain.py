"""The hash chain of a session's events, as the database function `eventlog_event_hash` computes it (docs/log.md).

Written apart from it on purpose: two independent verifiers that agree. Reads no clock and no storage.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

DOMAIN = b"ctx.event.v1"
HASH_VERSION = 1
GENESIS = bytes(32)
SALT_BYTES = 32

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class EventHeader:
    """Every column of an event but its own hash."""

    project_id: UUID
    session_id: UUID
    seq: int
    event_id: UUID
    type: str
    schema_version: int
    visibility: str
    occurred_at: datetime | None
    recorded_at: datetime
    actor: str
    api_key_id: UUID | None
    payload_commit: bytes
    payload_len: int
    prev_hash: bytes
    hash_version: int = HASH_VERSION


def preimage(header: EventHeader) -> bytes:
    """The bytes that are hashed: each field after its length in four bytes, big-endian; an absent one is the length -1."""
    fields = (
        DOMAIN,
        str(header.hash_version).encode(),
        str(header.project_id).encode(),
        str(header.session_id).encode(),
        str(header.seq).encode(),
        str(header.event_id).encode(),
        header.type.encode(),
        str(header.schema_version).encode(),
        header.visibility.encode(),
        None if header.occurred_at is None else str(microseconds(header.occurred_at)).encode(),
        str(microseconds(header.recorded_at)).encode(),
        header.actor.encode(),
        None if header.api_key_id is None else str(header.api_key_id).encode(),
        header.payload_commit,
        str(header.payload_len).encode(),
        header.prev_hash,
    )
    return b"".join(_field(value) for value in fields)


def event_hash(header: EventHeader) -> bytes:
    return sha256(preimage(header)).digest()


def payload_commit(salt: bytes, body: bytes) -> bytes:
    """What the chain holds of a payload. The salt goes with the payload at erasure, so that nothing can be guessed."""
    if len(salt) != SALT_BYTES:
        raise ValueError(f"salt has {len(salt)} bytes; exactly {SALT_BYTES} are needed")
    return sha256(salt + body).digest()


def microseconds(instant: datetime) -> int:
    """Microseconds since 1970-01-01T00:00:00Z, exact."""
    if instant.tzinfo is None:
        raise ValueError(f"{instant.isoformat()} has no time zone")
    return (instant - _EPOCH) // _MICROSECOND


def _field(value: bytes | None) -> bytes:
    if value is None:
        return b"\xff\xff\xff\xff"
    return len(value).to_bytes(4, "big") + value
