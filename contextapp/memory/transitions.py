"""Which action leads from which state to which, and the event that says so. The one table; services and pages read it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from contextapp.memory.models.choices import MemoryState as S

UNDO_FOR = timedelta(minutes=10)
INVERSE = {"approve": "undo_approve", "reject": "undo_reject", "quarantine": "undo_quarantine"}


@dataclass(frozen=True, slots=True)
class Transition:
    """`event` is the dotted past fact in the governance stream and in the audit trail."""

    before: tuple[str, ...]
    after: str
    event: str


TRANSITIONS: dict[str, Transition] = {
    "approve": Transition((S.CANDIDATE,), S.APPROVED, "memory.approved"),
    "reject": Transition((S.CANDIDATE, S.QUARANTINED, S.SUSPENDED), S.REJECTED, "memory.rejected"),
    "quarantine": Transition((S.CANDIDATE, S.APPROVED, S.SUSPENDED), S.QUARANTINED, "memory.quarantined"),
    "release": Transition((S.QUARANTINED,), S.CANDIDATE, "memory.released"),
    "suspend": Transition((S.APPROVED,), S.SUSPENDED, "memory.suspended"),
    "reinstate": Transition((S.SUSPENDED,), S.APPROVED, "memory.approved"),
    "revoke": Transition((S.APPROVED, S.SUSPENDED), S.REVOKED, "memory.revoked"),
    "supersede": Transition((S.APPROVED, S.CANDIDATE, S.SUSPENDED), S.SUPERSEDED, "memory.superseded"),
    "expire": Transition((S.APPROVED, S.SUSPENDED), S.EXPIRED, "memory.expired"),
    "renew": Transition((S.EXPIRED, S.LAPSED), S.CANDIDATE, "memory.renewed"),
    "lapse": Transition((S.CANDIDATE,), S.LAPSED, "memory.lapsed"),
    "undo_approve": Transition((S.APPROVED,), S.CANDIDATE, "memory.undone"),
    "undo_reject": Transition((S.REJECTED,), S.CANDIDATE, "memory.undone"),
    "undo_quarantine": Transition((S.QUARANTINED,), S.CANDIDATE, "memory.undone"),
    "undo_supersede": Transition((S.SUPERSEDED,), S.APPROVED, "memory.undone"),
}

# Facts about a record that leave its state alone.
CHANGES = {
    "evidence_added": "memory.evidence_added",
    "first_approval": "memory.approved_once",
    "verified": "memory.verified",
    "skipped": "memory.skipped",
    "scanned": "memory.scanned",
    "conflict_named": "memory.conflict_named",
}
PROPOSED = "memory.proposed"
REDACTED = "memory.redacted"
EVENTS = frozenset({PROPOSED, REDACTED, *CHANGES.values(), *(one.event for one in TRANSITIONS.values())})


def possible(state: str) -> frozenset[str]:
    """The actions that lead out of a state."""
    return frozenset(action for action, transition in TRANSITIONS.items() if state in transition.before)
