"""The governance stream holds all of memory: the tables can be built again from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contextapp.memory.models import MemoryRevision
from contextapp.memory.services import (
    look_at,
    rebuild,
    reject,
    revoke,
    reword,
    spans_from,
)
from tests.memory.records import approved, candidate
from tests.world import World

if TYPE_CHECKING:
    pass

AGENT = "agent:claude-code"


def test_the_tables_can_be_built_again_from_the_stream(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "tests run with make test"}))
    first = approved(world, candidate(world, spans=spans_from([{"session": str(session.id), "seq": 1}])))
    second = reword(revision_id=first.pk, reviewer=world.bob, look=look_at(first), claim="Tests run with make check.")
    rejected = candidate(world, claim="No such thing.")
    reject(revision_id=rejected.pk, reviewer=world.bob, look=look_at(rejected), reason_code="other", note="no")
    wide = approved(world, candidate(world, claim="We like tests.", scope="global", scope_key=""))
    gone = approved(world, candidate(world, claim="Short lived."))
    revoke(revision_id=gone.pk, reviewer=world.bob, look=look_at(gone), reason_code="outdated")
    assert (second.state, wide.first_approved_by) == ("candidate", "user:bob")
    before = snapshot()

    count = rebuild(project_id=world.project.id)

    assert count == MemoryRevision.objects.count() == 5
    assert snapshot() == before


def snapshot() -> list[Any]:
    """Every row but for ids of rows, which a new table gives anew."""
    rows: list[Any] = []
    for revision in MemoryRevision.objects.order_by("lineage", "revision"):
        own = {
            name: bytes(value) if isinstance(value, memoryview) else value
            for name, value in vars(revision).items()
            if name not in ("_state", "id", "supersedes_id", "claimed_by", "claimed_until")
        }
        spans = [(span.session_id, span.seq, span.trust) for span in revision.evidence.order_by("session_id", "seq")]
        reviews = [(one.reviewer, one.verdict, one.note, one.at) for one in revision.reviews.order_by("at")]
        rows.append((own, spans, reviews, revision.supersedes and revision.supersedes.reference))
    return rows
