"""How much care a decision needs: by lineage, scope, kind and what the detectors said (memory.md 2.3). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contextapp.memory.models import Basis, MemoryKind, MemoryScope, SourceTrust

LOW, READ_EVIDENCE, SAY_WHY, TWO_PEOPLE = range(4)
WIDTH = {
    MemoryScope.SESSION: 0,
    MemoryScope.DIRECTORY: 1,
    MemoryScope.WORKSPACE: 2,
    MemoryScope.USER: 3,
    MemoryScope.GLOBAL: 3,
}
_WIDE = (MemoryScope.USER, MemoryScope.GLOBAL)
# A command, an address or a credential: what the next run might act on.
_ACTIONABLE = re.compile(
    r"https?://|\b(?:sudo|curl|wget|rm|chmod|ssh|scp|pip|npm|pnpm|yarn|docker|kubectl|git|bash|sh|make|eval)\s+[-\w./]|"
    r"\b(?:password|secret|token|credential|api[ _-]?key)s?\b|密码|密钥|令牌|凭证",
    re.I,
)
_ORDER = (SourceTrust.REVIEWER, SourceTrust.USER, SourceTrust.MODEL, SourceTrust.TOOL, SourceTrust.UNTRUSTED)


@dataclass(frozen=True, slots=True)
class Risk:
    level: int
    needs_two: bool
    reasons: tuple[str, ...]


def assess(
    *,
    kind: str,
    scope: str,
    claim: str,
    source_trust: str,
    basis: str,
    verdict: str,
    was_quarantined: bool = False,
    contradicts: bool = False,
) -> Risk:
    """The highest class that applies, and why."""
    two = [
        *(["wide_scope"] if scope in _WIDE else []),
        *(["was_quarantined"] if was_quarantined or verdict == "quarantine" else []),
        *(["contradicts"] if contradicts else []),
    ]
    say = [
        *(["untrusted_lineage"] if source_trust in (SourceTrust.UNTRUSTED, SourceTrust.TOOL) else []),
        *([f"kind_{kind}"] if kind in (MemoryKind.CONSTRAINT, MemoryKind.PROCEDURE) else []),
        *(["actionable"] if _ACTIONABLE.search(claim) else []),
        *(["flagged"] if verdict != "clean" else []),
    ]
    read = ["not_stated_by_a_person"] if basis in (Basis.INFERRED, Basis.IMPORTED) or source_trust == "model" else []
    level = TWO_PEOPLE if two else SAY_WHY if say else READ_EVIDENCE if read else LOW
    return Risk(level, bool(two), (*two, *say, *read))


def least(*trusts: str) -> str:
    """The lowest of the lineage: a summary is never worth more than what it covers."""
    return max(trusts, key=_ORDER.index)
