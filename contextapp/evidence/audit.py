"""The hash chain of an audit trail, as the database function `accounts_audit_hash` computes it (docs/audit.md).

Written apart from it on purpose: two independent computations that agree. Reads no clock and no storage.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from contextapp.evidence.chain import microseconds

DOMAIN = b"ctx.audit.v1"


@dataclass(frozen=True, slots=True)
class AuditHeader:
    """Every column of an entry but its own hash. `before` and `after` are canonical JSON text; None is absent."""

    id: int
    project_id: UUID | None  # None: the chain of the installation
    n: int
    actor: str
    action: str
    target: str
    before: str | None
    after: str | None
    at: datetime
    prev_hash: bytes


def preimage(header: AuditHeader) -> bytes:
    """The bytes that are hashed: each field after its length in four bytes, big-endian; an absent one is the length -1."""
    fields = (
        DOMAIN,
        str(header.id).encode(),
        None if header.project_id is None else str(header.project_id).encode(),
        str(header.n).encode(),
        header.actor.encode(),
        header.action.encode(),
        header.target.encode(),
        None if header.before is None else header.before.encode(),
        None if header.after is None else header.after.encode(),
        str(microseconds(header.at)).encode(),
        header.prev_hash,
    )
    return b"".join(_field(value) for value in fields)


def entry_hash(header: AuditHeader) -> bytes:
    return sha256(preimage(header)).digest()


def _field(value: bytes | None) -> bytes:
    if value is None:
        return b"\xff\xff\xff\xff"
    return len(value).to_bytes(4, "big") + value
