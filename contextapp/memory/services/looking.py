"""The person before a decision and the record that was on their screen. Decides nothing."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.accounts import permissions
from contextapp.accounts.models import User
from contextapp.accounts.selectors import role_in
from contextapp.accounts.services import actor_name
from contextapp.memory.errors import AlreadyDecided, NotAReviewer, Stale, UnknownRecord
from contextapp.memory.models import MemoryRevision


@dataclass(frozen=True, slots=True)
class Look:
    """What the reviewer had before them: version, digest of the text, for how long, and whether the evidence was open."""

    version: int
    shown_sha256: bytes
    ms_on_screen: int | None = None
    evidence_opened: bool = False


def look_at(revision: MemoryRevision, *, evidence_opened: bool = True, ms_on_screen: int | None = None) -> Look:
    """The look of somebody who has the present row before them."""
    return Look(revision.version, bytes(revision.shown_sha256), ms_on_screen, evidence_opened)


def reviewer_name(revision: MemoryRevision, reviewer: User) -> str:
    """How the person is named in the record; NotAReviewer unless their role in the project lets them decide."""
    role = role_in(reviewer, revision.project_id)
    by = actor_name(reviewer)
    if not permissions.may(role, permissions.REVIEW_MEMORY):
        raise NotAReviewer(by, role)
    return by


def locked(revision_id: int, reviewer: User) -> tuple[MemoryRevision, str]:
    """The row under a lock and the name of the person, if the person may decide on it."""
    revision = (
        MemoryRevision.objects.select_for_update(no_key=True, of=("self",))
        .select_related("project")
        .filter(pk=revision_id)
        .first()
    )
    if revision is None:
        raise UnknownRecord(revision_id)
    return revision, reviewer_name(revision, reviewer)


def seen(revision_id: int, reviewer: User, look: Look, needed: tuple[str, ...]) -> tuple[MemoryRevision, str]:
    """The same, if the row is in the needed state and is what was on the screen."""
    revision, by = locked(revision_id, reviewer)
    if revision.version != look.version or bytes(revision.shown_sha256) != look.shown_sha256:
        raise Stale(revision, look.version)
    if revision.state not in needed:
        raise AlreadyDecided(revision.reference, revision.state, " or ".join(needed))
    return revision, by
