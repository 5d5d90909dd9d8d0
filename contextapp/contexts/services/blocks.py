"""Stores the blocks of a built request, each once per project, and which events they show, so that erasure finds them."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from contextapp.contexts.models import Block as StoredBlock
from contextapp.contexts.models import BlockUse
from contextapp.engine.request.neutral import Block
from contextapp.eventlog.models import Session


def keep_blocks(*, session: Session, blocks: Sequence[Block], digests: Sequence[str], known: AbstractSet[str]) -> int:
    """`digests` are those of the blocks; `known` are of an earlier request of this session, which are stored already.
    The number of new ones."""
    new = {digest: block for digest, block in zip(digests, blocks, strict=True) if digest not in known}
    StoredBlock.objects.bulk_create(
        [
            StoredBlock(project_id=session.project_id, sha256=bytes.fromhex(digest), body=block.canonical())
            for digest, block in sorted(new.items())
        ],
        ignore_conflicts=True,
    )
    wanted = [bytes.fromhex(digest) for digest in new]
    stored = StoredBlock.objects.filter(project_id=session.project_id, sha256__in=wanted)
    ids = {bytes(sha256).hex(): block_id for sha256, block_id in stored.values_list("sha256", "id")}
    BlockUse.objects.bulk_create(
        [
            BlockUse(
                block_id=ids[digest],
                session=session,
                first_seq=block.events[0] if block.events else 0,
                last_seq=block.events[1] if block.events else 0,
            )
            for digest, block in new.items()
        ],
        ignore_conflicts=True,
    )
    return len(new)
