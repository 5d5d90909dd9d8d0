"""RFC 6962 tree hash over the heads of all sessions, with inclusion proofs. Reads no storage and no clock.

Leaves are sorted by session id, so the same set of heads has one root. The tree commits to a *set*: of two such trees
neither is a prefix of the other, and RFC 6962 consistency proofs don't apply (docs/log.md says what does).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

DOMAIN = b"ctx.head.v1"
EMPTY_ROOT = sha256(b"").digest()

_LEAF = b"\x00"
_NODE = b"\x01"


@dataclass(frozen=True, slots=True)
class KnownHead:
    """Where a session's chain stood when somebody wrote it down."""

    session_id: UUID
    seq: int
    hash: bytes


def leaf(head: KnownHead) -> bytes:
    """The bytes of one leaf: domain, session id, seq and hash, each after its length in four bytes, big-endian."""
    fields = (DOMAIN, str(head.session_id).encode(), str(head.seq).encode(), head.hash)
    return b"".join(len(field).to_bytes(4, "big") + field for field in fields)


def leaves(heads: Iterable[KnownHead]) -> list[bytes]:
    """Leaf bytes in the order of the tree. A session that stands twice in the set is refused."""
    ordered = sorted(heads, key=lambda head: str(head.session_id))
    for one, following in zip(ordered, ordered[1:], strict=False):
        if one.session_id == following.session_id:
            raise ValueError(f"session {one.session_id} stands twice in the set of heads")
    return [leaf(head) for head in ordered]


def heads_root(heads: Iterable[KnownHead]) -> bytes:
    return root(leaves(heads))


def root(entries: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962, section 2.1."""
    level = [_leaf_hash(entry) for entry in entries]
    if not level:
        return EMPTY_ROOT
    while len(level) > 1:
        # A last node without a partner goes up as it is: that is where the largest power of two splits.
        paired = [_node_hash(level[place], level[place + 1]) for place in range(0, len(level) - 1, 2)]
        level = paired + level[len(paired) * 2 :]
    return level[0]


def proof(entries: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """PATH of RFC 6962, section 2.1.1: the hashes that lead from the leaf to the root."""
    if not 0 <= index < len(entries):
        raise ValueError(f"leaf {index} is not in a tree of {len(entries)} leaves")
    level = [_leaf_hash(entry) for entry in entries]
    path = []
    while len(level) > 1:
        partner = index ^ 1
        if partner < len(level):
            path.append(level[partner])
        paired = [_node_hash(level[place], level[place + 1]) for place in range(0, len(level) - 1, 2)]
        level = paired + level[len(paired) * 2 :]
        index //= 2
    return tuple(path)


def is_included(entry: bytes, index: int, size: int, path: Sequence[bytes], expected_root: bytes) -> bool:
    """Whether the leaf stands at that index of the tree of that size and root (RFC 9162, section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    position, last = index, size - 1
    found = _leaf_hash(entry)
    for sibling in path:
        if last == 0:
            return False
        if position & 1 or position == last:
            found = _node_hash(sibling, found)
            while not position & 1 and position:
                position >>= 1
                last >>= 1
        else:
            found = _node_hash(found, sibling)
        position >>= 1
        last >>= 1
    return last == 0 and found == expected_root


def _leaf_hash(entry: bytes) -> bytes:
    return sha256(_LEAF + entry).digest()


def _node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE + left + right).digest()
