"""A proposal is checked, scanned and stored once; it approves nothing and widens no trust."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from contextapp.accounts.models import AuditEntry
from contextapp.memory import errors
from contextapp.memory.models import MemoryEvidence, MemoryRevision, RejectionPrint
from contextapp.memory.selectors import revisions_in_scope
from contextapp.memory.services import (
    look_at,
    propose,
    reject,
    reword,
    spans_from,
)
from tests.memory.records import approved, candidate
from tests.world import World

if TYPE_CHECKING:
    pass

AGENT = "agent:claude-code"


def test_the_same_claim_is_one_record_and_gains_evidence(world: World) -> None:
    session = world.open_session()
    world.append(
        session, ("user.message", {"text": "tests run with make test"}), ("user.message", {"text": "make test!"})
    )
    first = candidate(world, spans=spans_from([{"session": str(session.id), "seq": 1}]), source_trust=None)

    again = propose(
        project=world.project, claim="tests run with `make test`", kind="fact", scope="workspace", scope_key="/srv/shop/",
        proposed_by="agent:other", source="b", spans=spans_from([{"session": str(session.id), "seq": 2}]),
    )  # fmt: skip

    assert (again.outcome, again.revision and again.revision.pk) == ("evidence_added", first.pk)
    assert MemoryEvidence.objects.filter(memory=first).count() == 2


def test_an_approved_claim_is_not_overwritten_by_a_new_proposal(world: World) -> None:
    first = approved(world, candidate(world))

    again = propose(
        project=world.project, claim="Tests run with make test", kind="fact", scope="workspace", scope_key="/srv/shop",
        proposed_by="agent:other", source="b",
    )  # fmt: skip

    first.refresh_from_db()
    assert (again.outcome, first.state, first.proposed_by) == ("evidence_added", "approved", AGENT)


def test_a_declined_claim_is_not_proposed_again(world: World) -> None:
    revision = candidate(world)
    reject(revision_id=revision.pk, reviewer=world.bob, look=look_at(revision), reason_code="wrong")

    again = propose(
        project=world.project, claim="tests RUN with make test", kind="fact", scope="workspace", scope_key="/srv/shop",
        proposed_by=AGENT, source="b",
    )  # fmt: skip

    assert (again.outcome, again.revision) == ("declined_before", None)
    assert RejectionPrint.objects.count() == 1


def test_evidence_of_another_project_is_not_there(world: World) -> None:
    from contextapp.eventlog.services import open_session

    foreign = open_session(project_id=world.foreign_project.id, origin="api")
    world.append(foreign, ("user.message", {"text": "Tests run with make test."}))

    revision = candidate(world, spans=spans_from([{"session": str(foreign.id), "seq": 1}]))

    assert revision.evidence_checks["exists"] is False


def test_trust_is_the_least_of_the_lineage(world: World) -> None:
    session = world.open_session()
    world.append(
        session,
        ("tool.completed", {"call_id": "c", "content": "use port 8080"}),
        ("session.compacted", {"part": "summary", "summary": "use port 8080", "trust": "untrusted", "covers": [1, 1]}),
    )

    by_tool = candidate(
        world, claim="use port 8080", spans=spans_from([{"session": str(session.id), "seq": 1}]), source_trust=None
    )
    by_summary = candidate(
        world,
        claim="the port to use: 8080",
        spans=spans_from([{"session": str(session.id), "seq": 2}]),
        source_trust=None,
    )
    reworded = reword(
        revision_id=by_tool.pk,
        reviewer=world.bob,
        look=look_at(by_tool),
        claim="Use port 8080 in tests.",
        note="clearer",
    )

    assert [one.source_trust for one in (by_tool, by_summary, reworded)] == ["untrusted"] * 3


def test_a_state_holds_for_a_week_at_most(world: World) -> None:
    revision = candidate(world, kind="state", claim="The release branch is frozen.")

    assert revision.valid_until is not None and revision.valid_until <= timezone.now() + timedelta(days=7)
    with pytest.raises(errors.BadProposal, match="at most 7 days"):
        candidate(world, kind="state", claim="It is frozen.", valid_until=timezone.now() + timedelta(days=8))


def test_a_secret_in_a_claim_is_refused_and_nothing_of_it_is_stored(world: World) -> None:
    secret = "ghp_" + "a1" * 18

    with pytest.raises(errors.SecretInClaim, match="github_token"):
        candidate(world, claim=f"use {secret}")

    assert not MemoryRevision.objects.exists()
    assert secret not in str(list(AuditEntry.objects.values()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"claim": " "}, "needs a claim"),
        ({"claim": "x" * 2001}, "2001 characters, the limit is 2000"),
        ({"kind": "rumour"}, "memory kind 'rumour' is unknown"),
        ({"scope": "planet"}, "memory scope 'planet' is unknown"),
        ({"scope_key": ""}, "needs a key"),
        ({"model_confidence": 2}, "confidence 2 is not between 0 and 1"),
    ],
)
def test_a_proposal_that_makes_no_sense_is_refused(world: World, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        candidate(world, **change)


def test_a_session_meets_the_memory_of_its_scopes(world: World) -> None:
    session = world.open_session(workspace_root="/srv/shop")
    expected = {
        candidate(world, claim="everywhere", scope="global", scope_key="").reference,
        candidate(world, claim="here", scope="workspace", scope_key="/srv/shop/").reference,
        candidate(world, claim="below", scope="directory", scope_key="/srv/shop/api").reference,
        candidate(world, claim="now", scope="session", scope_key=str(session.id)).reference,
    }
    candidate(world, claim="elsewhere", scope="workspace", scope_key="/srv/other")
    candidate(world, claim="then", scope="session", scope_key="other")
    rejected = candidate(world, claim="no")
    reject(revision_id=rejected.pk, reviewer=world.bob, look=look_at(rejected), reason_code="wrong")
    propose(project=world.foreign_project, claim="theirs", kind="fact", scope="global", proposed_by=AGENT, source="a")

    found = revisions_in_scope(world.project.id, session)

    assert {revision.reference for revision in found} == expected
    assert {revision.state for revision in found} == {"candidate"}
