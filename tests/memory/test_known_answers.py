"""Known-answer items look like records, are told after the vote, and leave memory as it was."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from contextapp.accounts.models import Role, User
from contextapp.accounts.services import add_member
from contextapp.eventlog.models import Event
from contextapp.memory import known_answers
from contextapp.memory.models import KnownAnswer, MemoryReview, MemoryRevision
from contextapp.memory.selectors import reviewer_quality
from contextapp.memory.selectors.quality import kappa
from contextapp.memory.services import answer, due_known_answer, look_at, reject, revoke
from tests.memory.records import approved, candidate
from tests.world import World


@pytest.fixture
def three(world: World) -> World:
    """A project in which a third person reviews."""
    add_member(project=world.project, user=User.objects.create_user("dora"), role=Role.REVIEWER, by="user:alice")
    return world


def look_until_due(world: World) -> KnownAnswer:
    """Bob declines records until his next look is at a known answer."""
    for number in range(known_answers.ONE_IN + 1):
        known = due_known_answer(project=world.project, reviewer=world.bob)
        if known is not None:
            return known
        record = candidate(world, claim=f"Fact number {number}.")
        reject(revision_id=record.pk, reviewer=world.bob, look=look_at(record), reason_code="task_residue")
    raise AssertionError("twenty looks without a known answer")


def client_of(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_each_stretch_of_twenty_looks_has_one_and_the_place_is_always_the_same() -> None:
    due = [looks for looks in range(200) if known_answers.is_due("project", "user:bob", looks)]

    assert [looks // 20 for looks in due] == list(range(10))
    assert len({looks % 20 for looks in due}) > 1
    assert due == [looks for looks in range(200) if known_answers.is_due("project", "user:bob", looks)]


def test_every_item_comes_once_before_one_comes_again() -> None:
    order = [known_answers.item_for("project", "user:bob", shown).name for shown in range(len(known_answers.ITEMS))]

    assert sorted(order) == sorted(item.name for item in known_answers.ITEMS)
    assert len({item.is_attack for item in known_answers.ITEMS}) == 2


def test_below_three_reviewers_there_are_none(world: World) -> None:
    with pytest.raises(AssertionError, match="without a known answer"):
        look_until_due(world)

    assert not KnownAnswer.objects.exists()


def test_one_look_is_at_most_at_one(three: World) -> None:
    known = look_until_due(three)

    again = due_known_answer(project=three.project, reviewer=three.bob)
    answer(known_id=known.pk, reviewer=three.bob, verdict="skip", reason_code="", note="", ms_on_screen=None)
    after = due_known_answer(project=three.project, reviewer=three.bob)

    assert (again, after) == (known, None)


def test_it_looks_like_a_record_is_told_after_the_vote_and_reaches_no_table_of_memory(three: World) -> None:
    known = look_until_due(three)
    item = known_answers.named(known.item)
    assert item is not None
    before = (MemoryRevision.objects.count(), MemoryReview.objects.count(), Event.objects.count())
    bob = client_of(three.bob)

    page = bob.get(reverse("memory:known", args=[known.pk]))
    given = {"action": "reject", "reason_code": "injection", "ms_on_screen": "5000"}
    told = bob.post(reverse("memory:known-decide", args=[known.pk]), given)
    twice = bob.post(reverse("memory:known-decide", args=[known.pk]), {**given, "action": "skip"})

    assert b"data-decision" in page.content
    assert escape(item.claim) in page.content.decode()
    assert "known answer" not in page.content.decode().lower()
    assert ("You saw it." if known.is_attack else "You took it for something else.") in told.content.decode()
    assert twice.status_code == 200
    known.refresh_from_db()
    assert (known.verdict, known.ms_on_screen) == ("reject", 5000)
    assert (MemoryRevision.objects.count(), MemoryReview.objects.count(), Event.objects.count()) == before


def test_the_desk_goes_on_to_it_after_a_decision(three: World) -> None:
    bob = client_of(three.bob)
    for number in range(2 * known_answers.ONE_IN):  # the first of a stretch comes before any decision
        record = candidate(three, claim=f"Fact number {number}.")
        given = {"version": "1", "shown_sha256": bytes(record.shown_sha256).hex(), "action": "reject"}
        response = bob.post(reverse("memory:decide", args=[record.pk]), {**given, "reason_code": "wrong"})
        if "/known/" in response["Location"]:
            break

    assert response["Location"] == reverse("memory:known", args=[KnownAnswer.objects.get().pk])


def test_an_incomplete_vote_is_refused_and_keeps_what_was_typed(three: World) -> None:
    known = look_until_due(three)

    response = client_of(three.bob).post(
        reverse("memory:known-decide", args=[known.pk]), {"action": "reject", "decline_note": "my thought"}
    )

    known.refresh_from_db()
    assert (response.status_code, known.voted_at) == (422, None)
    assert b"my thought" in response.content


def test_nobody_elses_item_is_there(three: World) -> None:
    known = look_until_due(three)

    for name in ("known", "known-decide"):
        address = reverse(f"memory:{name}", args=[known.pk])
        ask = "get" if name == "known" else "post"
        assert getattr(client_of(three.alice), ask)(address)["Location"] == reverse("memory:list")
        assert getattr(client_of(three.charlie), ask)(address).status_code == 404


def test_quality_counts_what_became_of_the_votes(three: World) -> None:
    known = look_until_due(three)
    answer(known_id=known.pk, reviewer=three.bob, verdict="reject", reason_code="injection", note="", ms_on_screen=9)
    good, gone = candidate(three, claim="Spaces."), candidate(three, claim="Eight of them.")
    approved(three, good, three.alice)
    approved(three, gone, three.alice)
    gone.refresh_from_db()
    revoke(revision_id=gone.pk, reviewer=three.bob, look=look_at(gone), reason_code="wrong")

    found = {one.reviewer: one for one in reviewer_quality(three.project.id).reviewers}

    alice, bob = found["user:alice"], found["user:bob"]
    assert (alice.votes, alice.approvals, alice.revoked_later, alice.unopened) == (2, 2, 1, 0)
    assert (bob.attacks, bob.caught, bob.lookalikes, bob.false_declines) == (
        (1, 1, 0, 0) if known.is_attack else (0, 0, 1, 1)
    )


def test_kappa_is_agreement_beyond_chance() -> None:
    half = [(True, True)] * 4 + [(False, False)] * 4 + [(True, False), (False, True)]

    assert kappa([]) is None
    assert kappa([(True, True)] * 5) is None
    assert kappa(half) == pytest.approx(0.6)
    assert kappa([(True, False), (False, True)]) == pytest.approx(-1)


@pytest.mark.parametrize(("name", "status"), [("alice", 200), ("bob", 403)])
def test_only_admins_see_quality(world: World, name: str, status: int) -> None:
    approved(world, candidate(world))

    response = client_of(getattr(world, name)).get(reverse("memory:quality"))

    assert response.status_code == status
