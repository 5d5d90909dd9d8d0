"""Memory moves by decisions of others than its proposer, one at a time, each of them audited."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection

from contextapp.accounts.models import AuditEntry
from contextapp.eventlog.services import erase_session
from contextapp.memory.errors import AlreadyDecided, MemoryRefused, OwnProposal
from contextapp.memory.models import MemoryRevision
from contextapp.memory.selectors import revisions_in_scope
from contextapp.memory.services import approve, propose, quarantine, reject, withdraw
from tests.world import World, build_world

if TYPE_CHECKING:
    from tests.databases import CommittedDatabase

ALICE, BOB = "user:alice", "user:bob"


def candidate(world: World, **others: Any) -> MemoryRevision:
    given = {
        "claim": "Tests run with make test.",
        "kind": "fact",
        "scope": "global",
        "proposed_by": ALICE,
        "source": "a",
    }
    return propose(project=world.project, **{**given, **others})


def test_an_approved_candidate_counts_and_is_audited(world: World) -> None:
    revision = candidate(world)

    approved = approve(revision_id=revision.pk, by=BOB, reason="seen in the log")

    assert (approved.state, approved.decided_by, approved.last_verified_at is None) == ("approved", BOB, False)
    trail = AuditEntry.objects.filter(target=f"memory:{revision.reference}").order_by("id")
    assert [(entry.action, entry.actor) for entry in trail] == [("memory.proposed", ALICE), ("memory.approved", BOB)]
    assert trail[1].before == {"state": "candidate"}


def test_the_proposer_can_not_approve(world: World) -> None:
    revision = candidate(world)

    with pytest.raises(OwnProposal, match="ask another reviewer"):
        approve(revision_id=revision.pk, by=ALICE)

    revision.refresh_from_db()
    assert revision.state == "candidate"


def test_a_new_revision_replaces_the_approved_one(world: World) -> None:
    first = approve(revision_id=candidate(world).pk, by=BOB)
    second = candidate(world, claim="Tests run with make check.", lineage=first.lineage)

    approve(revision_id=second.pk, by=BOB)

    first.refresh_from_db()
    assert (first.state, second.revision) == ("superseded", 2)


def test_a_decision_that_comes_second_is_told(world: World) -> None:
    revision = candidate(world)
    reject(revision_id=revision.pk, by=BOB, reason="wrong")

    with pytest.raises(AlreadyDecided, match="is rejected, not candidate"):
        approve(revision_id=revision.pk, by=BOB)


def test_a_failed_approval_leaves_the_old_revision_in_force(world: World) -> None:
    first = approve(revision_id=candidate(world).pk, by=BOB)
    second = candidate(world, lineage=first.lineage)
    reject(revision_id=second.pk, by=BOB, reason="wrong")

    with pytest.raises(AlreadyDecided):
        approve(revision_id=second.pk, by=BOB)

    first.refresh_from_db()
    assert first.state == "approved"


def test_approved_memory_can_be_quarantined_and_withdrawn(world: World) -> None:
    revision = approve(revision_id=candidate(world).pk, by=BOB)

    assert quarantine(revision_id=revision.pk, by=BOB, reason="contradicted").state == "quarantined"
    assert approve(revision_id=revision.pk, by=BOB).state == "approved"
    assert withdraw(revision_id=revision.pk, by=BOB, reason="obsolete").state == "withdrawn"
    with pytest.raises(ValueError, match="a reason is needed"):
        reject(revision_id=revision.pk, by=BOB, reason=" ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"claim": " "}, "needs a claim"),
        ({"kind": "rumour"}, "memory kind 'rumour' is unknown"),
        ({"scope": "planet"}, "memory scope 'planet' is unknown"),
        ({"scope": "workspace"}, "needs a key"),
        ({"confidence": 2}, "confidence 2 is not between 0 and 1"),
    ],
)
def test_a_proposal_that_makes_no_sense_is_refused(world: World, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        candidate(world, **change)


def test_a_secret_in_a_claim_is_masked(world: World) -> None:
    assert candidate(world, claim="use ghp_" + "a1" * 18).claim == "use [masked:github_token]"


def test_a_session_meets_the_memory_of_its_scopes(world: World) -> None:
    session = world.open_session(workspace_root="/srv/shop")
    expected = {
        candidate(world, claim="everywhere").reference,
        candidate(world, claim="here", scope="workspace", scope_key="/srv/shop/").reference,
        candidate(world, claim="below", scope="directory", scope_key="/srv/shop/api").reference,
        candidate(world, claim="now", scope="session", scope_key=str(session.id)).reference,
    }
    candidate(world, claim="elsewhere", scope="workspace", scope_key="/srv/other")
    candidate(world, claim="then", scope="session", scope_key="other")
    rejected = candidate(world, claim="no")
    reject(revision_id=rejected.pk, by=BOB, reason="wrong")
    propose(project=world.foreign_project, claim="theirs", kind="fact", scope="global", proposed_by=ALICE, source="a")

    found = revisions_in_scope(world.project.id, session)

    assert {revision.reference for revision in found} == expected
    assert {revision.state for revision in found} == {"candidate"}


def test_approved_records_come_first_under_the_cap(world: World) -> None:
    first = candidate(world, claim="old")
    approve(revision_id=first.pk, by=BOB)
    candidate(world, claim="new")

    found = revisions_in_scope(world.project.id, world.open_session())

    assert [revision.claim for revision in found] == ["old", "new"]


def test_erasing_a_session_removes_what_was_proposed_from_it(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "one"}))
    drawn = candidate(world, evidence=[{"session": str(session.id), "seq": 1}])
    scoped = candidate(world, scope="session", scope_key=str(session.id))
    kept = approve(revision_id=candidate(world, evidence=[{"session": str(session.id), "seq": 1}]).pk, by=BOB)
    other = candidate(world)

    erase_session(session_id=session.id, reason="asked to", actor=ALICE)

    assert set(MemoryRevision.objects.values_list("id", flat=True)) == {kept.pk, other.pk}
    assert {f"memory:{drawn.reference}", f"memory:{scoped.reference}"} == set(
        AuditEntry.objects.filter(action="memory.erased").values_list("target", flat=True)
    )


def test_of_an_approval_and_a_rejection_at_once_one_wins(committed_db: CommittedDatabase) -> None:
    revision = candidate(build_world())
    start = threading.Barrier(2)
    outcomes: list[str] = []

    def decide(approves: bool) -> None:
        start.wait()
        try:
            if approves:
                outcomes.append(approve(revision_id=revision.pk, by=BOB).state)
            else:
                outcomes.append(reject(revision_id=revision.pk, by=BOB, reason="wrong").state)
        except MemoryRefused as error:
            outcomes.append(type(error).__name__)
        finally:
            connection.close()

    reviewers = [threading.Thread(target=decide, args=(approves,)) for approves in (True, False)]
    for reviewer in reviewers:
        reviewer.start()
    for reviewer in reviewers:
        reviewer.join()

    revision.refresh_from_db()
    assert sorted(outcomes) == sorted(["AlreadyDecided", revision.state])
