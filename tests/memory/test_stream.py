"""The governance stream holds all of memory: the tables can be built again from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contextapp.eventlog.selectors import get_events
from contextapp.eventlog.services import erase_session, verify_session
from contextapp.memory.models import MemoryRevision
from contextapp.memory.services import (
    look_at,
    rebuild,
    reject,
    revoke,
    reword,
    spans_from,
)
from contextapp.memory.services.governance import stream_of
from tests.memory.records import approved, candidate
from tests.world import World

if TYPE_CHECKING:
    pass

AGENT = "agent:claude-code"

CANARY = "canary-9d2e4"


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


def test_erasing_a_session_takes_what_nobody_decided_and_leaves_what_people_approved(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": f"Tests run with make test, says {CANARY}."}))
    spans = spans_from([{"session": str(session.id), "seq": 1}])
    drawn = candidate(world, claim=f"{CANARY} says that tests run with make test.", spans=spans)
    scoped = candidate(world, claim=f"{CANARY} for this run", scope="session", scope_key=str(session.id))
    kept = approved(world, candidate(world, claim="Tests run with make test.", spans=spans))

    erase_session(session_id=session.id, reason="the customer asked", actor="user:alice")

    for revision in (drawn, scoped, kept):
        revision.refresh_from_db()
    assert (drawn.state, scoped.state, kept.state) == ("redacted", "redacted", "approved")
    assert CANARY not in str(list(MemoryRevision.objects.values()))
    stream = stream_of(world.project.id)
    assert CANARY not in str([event.payload for event in get_events(stream.id)])
    assert verify_session(stream.id).verdict in ("verified", "unanchored")


def test_what_was_erased_stays_erased_when_the_tables_are_built_again(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": CANARY}))
    candidate(world, claim=f"{CANARY} for this run", scope="session", scope_key=str(session.id))
    candidate(world, claim="Another one.")
    erase_session(session_id=session.id, reason="the customer asked", actor="user:alice")
    before = [(one.state, one.claim, one.version) for one in MemoryRevision.objects.order_by("lineage")]

    rebuild(project_id=world.project.id)

    assert [(one.state, one.claim, one.version) for one in MemoryRevision.objects.order_by("lineage")] == before
