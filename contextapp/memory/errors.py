"""Why a memory record was not taken, or a decision on it not made.

MemoryRefused
├── BadProposal        a field of the proposal makes no sense
├── SecretInClaim      the claim holds a secret; nothing of it was stored
├── CandidateIdTaken   a client's id stands for another proposal already
├── UnknownRecord      no such revision in this project
├── OwnProposal        who proposed a record may not approve it
├── NotAReviewer       the person's role in the project does not permit it
├── Stale              the row changed since it was shown: its version or the bytes a model would get
├── AlreadyDecided     the revision is not in the state that the decision needs
├── DecisionIncomplete a reason, an opened evidence pane, a choice between contradicting records is missing
├── ApprovalBlocked    evidence, scope or kind forbid the approval, whoever asks
├── SecondPersonNeeded the first approval came from the same person
├── ClaimHeld          somebody else has the record open
└── UndoTooLate        ten minutes have passed, or a model has got the record already
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from contextapp.memory.models import MemoryRevision


class MemoryRefused(Exception):
    """Base of the refusals. `code` is what the API answers."""

    code = "memory_refused"


class BadProposal(MemoryRefused, ValueError):
    code = "bad_proposal"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class SecretInClaim(MemoryRefused):
    code = "secret_in_claim"

    def __init__(self, rule: str) -> None:
        super().__init__(f"the claim holds a secret ({rule}); nothing of it was stored. Say it without the secret")
        self.rule = rule


class CandidateIdTaken(MemoryRefused):
    code = "candidate_id_conflict"

    def __init__(self, client_id: str, reference: str) -> None:
        super().__init__(
            f"candidate_id {client_id[:60]!r} is {reference} from another proposal; give this one a new id"
        )


class UnknownRecord(MemoryRefused):
    code = "unknown_record"

    def __init__(self, reference: object) -> None:
        super().__init__(f"no memory record {reference} in this project")


class OwnProposal(MemoryRefused):
    code = "own_proposal"

    def __init__(self, reference: str, by: str) -> None:
        super().__init__(f"{by} proposed {reference} and can't approve it; ask another reviewer")


class NotAReviewer(MemoryRefused):
    code = "not_a_reviewer"

    def __init__(self, by: str, role: str | None) -> None:
        super().__init__(f"{by} is {role or 'no member'} in this project; reviewers and admins decide on memory")


class Stale(MemoryRefused):
    """Carries the row as it is now, so that a page can show what changed and keep what was typed."""

    code = "stale"

    def __init__(self, revision: MemoryRevision, version_seen: int) -> None:
        super().__init__(
            f"{revision.reference} was decided on at version {version_seen} and is at {revision.version} "
            f"({revision.state}); look at it again"
        )
        self.revision = revision


class AlreadyDecided(MemoryRefused):
    code = "already_decided"

    def __init__(self, reference: str, state: str, needed: str) -> None:
        super().__init__(f"{reference} is {state}, not {needed}; reload to see who decided")
        self.state = state


class DecisionIncomplete(MemoryRefused):
    code = "decision_incomplete"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class ApprovalBlocked(MemoryRefused):
    code = "approval_blocked"

    def __init__(self, reference: str, why: str) -> None:
        super().__init__(f"{reference} can't be approved: {why}")


class SecondPersonNeeded(MemoryRefused):
    code = "second_person_needed"

    def __init__(self, reference: str, by: str, allowed_at: datetime | None = None) -> None:
        later = (
            ""
            if allowed_at is None
            else f"; alone in the project, you may confirm from {allowed_at:%Y-%m-%d %H:%M} UTC"
        )
        super().__init__(f"{by} has approved {reference} already; a second person must{later}")
        self.allowed_at = allowed_at


class ClaimHeld(MemoryRefused):
    code = "claim_held"

    def __init__(self, reference: str, holder: str, until: datetime) -> None:
        super().__init__(f"{holder} has {reference} open until {until:%H:%M:%S} UTC")
        self.holder = holder


class UndoTooLate(MemoryRefused):
    code = "undo_too_late"

    def __init__(self, reference: str, why: str) -> None:
        super().__init__(f"the decision on {reference} can't be undone: {why}; revoke or propose it again")
