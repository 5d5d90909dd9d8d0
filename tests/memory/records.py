"""Memory records in the states that tests need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contextapp.accounts.models import User
from contextapp.memory.models import MemoryRevision
from contextapp.memory.services import (
    approve,
    look_at,
    propose,
)
from tests.world import World

if TYPE_CHECKING:
    pass

AGENT = "agent:claude-code"


def candidate(world: World, **others: Any) -> MemoryRevision:
    given = {
        "claim": "Tests run with make test.",
        "kind": "fact",
        "scope": "workspace",
        "scope_key": "/srv/shop",
        "proposed_by": AGENT,
        "source": "a session",
        "source_trust": "user",
    }
    made = propose(project=world.project, **{**given, **others}).revision
    assert made is not None
    return made


def approved(world: World, revision: MemoryRevision, reviewer: User | None = None, **others: Any) -> MemoryRevision:
    revision.refresh_from_db()
    return approve(
        revision_id=revision.pk,
        reviewer=reviewer or world.bob,
        look=look_at(revision),
        **{"note": "I know it", **others},
    )
