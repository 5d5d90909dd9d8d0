"""The request in no provider's dialect: ordered blocks, each with its lane, role, text and digest.

Canonical bytes of a block are what its digest is made of; the digests in order are the identity of the request.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Block:
    """One rendered piece of the request.

    role: system, user, assistant, tool; part: what it is (safety, tools, instructions, summary, transcript, trailing, ...);
    trust: trusted, fact, untrusted; events: (first, last) or None; calls: for an assistant block, (id, name, arguments).
    """

    role: str
    part: str
    trust: str
    text: str
    source_id: str
    events: tuple[int, int] | None = None
    calls: tuple[tuple[str, str, str], ...] = ()
    call_id: str = ""
    tools: tuple[Mapping[str, Any], ...] = ()  # for the tools block: JSON schemas as the provider takes them

    def canonical(self) -> bytes:
        stored = asdict(self)
        return json.dumps(stored, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.canonical()).hexdigest()

    @classmethod
    def from_canonical(cls, body: bytes) -> Block:
        stored = json.loads(body)
        stored["events"] = tuple(stored["events"]) if stored["events"] else None
        stored["calls"] = tuple(tuple(call) for call in stored["calls"])
        stored["tools"] = tuple(stored["tools"])
        return cls(**stored)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Blocks in order for one model call, with the limit kept for its answer."""

    model: str
    max_output_tokens: int
    blocks: tuple[Block, ...]

    @property
    def sha256(self) -> str:
        return self.sha256_of([block.digest for block in self.blocks])

    def sha256_of(self, digests: Sequence[str]) -> str:
        """The same, from the digests of the blocks where they are at hand."""
        lines = [self.model, str(self.max_output_tokens), *digests]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
