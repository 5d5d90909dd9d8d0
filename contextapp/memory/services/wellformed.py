"""Whether the fields of a proposal make sense together. Reads no storage."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from contextapp.memory import claims
from contextapp.memory.errors import BadProposal
from contextapp.memory.models import Basis, MemoryKind, MemoryScope

STATE_TTL = timedelta(days=7)  # what is true for now is not true for long


def check_form(
    claim: str,
    kind: str,
    scope: str,
    scope_key: str,
    basis: str,
    model_confidence: float | None,
    valid_from: datetime | None,
    valid_until: datetime | None,
) -> None:
    """BadProposal names the field that makes no sense."""
    if not claim.strip() or "\0" in claim:
        raise BadProposal("claim", "a memory record needs a claim, without NUL")
    if len(claim) > claims.CLAIM_CHARS:
        raise BadProposal(
            "claim", f"the claim has {len(claim)} characters, the limit is {claims.CLAIM_CHARS}; say one thing"
        )
    if kind not in MemoryKind.values:
        raise BadProposal("kind", f"memory kind {kind!r} is unknown; choose one of {', '.join(MemoryKind.values)}")
    if scope not in MemoryScope.values:
        raise BadProposal("scope", f"memory scope {scope!r} is unknown; choose one of {', '.join(MemoryScope.values)}")
    if scope != MemoryScope.GLOBAL and not scope_key.strip():
        message = f"scope {scope} needs a key: the session, directory, workspace root or user it holds for"
        raise BadProposal("scope_key", message)
    if basis not in Basis.values:
        raise BadProposal("basis", f"basis {basis!r} is unknown; choose one of {', '.join(Basis.values)}")
    if model_confidence is not None and not 0 <= model_confidence <= 1:
        raise BadProposal("confidence", f"confidence {model_confidence} is not between 0 and 1")
    if valid_from and valid_until and valid_until <= valid_from:
        raise BadProposal("valid_until", f"valid_until {valid_until.isoformat()} is not after valid_from")
    if kind == MemoryKind.STATE and valid_until and valid_until > timezone.now() + STATE_TTL:
        raise BadProposal(
            "valid_until", f"a state holds for at most {STATE_TTL.days} days; call it a fact if it stays true"
        )
