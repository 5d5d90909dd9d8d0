"""The checkpoint that covers most of a session, and the path from its head to the signed root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contextapp.eventlog.models import Checkpoint, CheckpointHead
from contextapp.eventlog.selectors import public_key_text
from contextapp.eventlog.verify.anchors import heads_at
from contextapp.evidence import merkle


@dataclass(frozen=True, slots=True)
class Proof:
    """`proof` is {"seq", "hash", "index", "path"}: the signed head, its place among the leaves, the hashes to the root."""

    number: int
    note: str
    keys: str
    proof: dict[str, Any]  # JSON


def proof_of(session_id: UUID) -> Proof | None:
    """None when no checkpoint covers any event of the session."""
    newest = CheckpointHead.objects.filter(session_id=session_id).order_by("-checkpoint_id").first()
    checkpoint = None if newest is None else Checkpoint.objects.filter(number=newest.checkpoint_id).first()
    if newest is None or checkpoint is None:
        return None
    heads = sorted(heads_at(checkpoint.number), key=lambda head: str(head.session_id))
    index = next(place for place, head in enumerate(heads) if head.session_id == session_id)
    path = merkle.proof(merkle.leaves(heads), index)
    proof = {
        "seq": newest.head_seq,
        "hash": bytes(newest.head_hash).hex(),
        "index": index,
        "path": [digest.hex() for digest in path],
    }
    return Proof(checkpoint.number, checkpoint.note, public_key_text(), proof)
