"""The memory pages through their addresses: what is listed, who may decide, and that a refusal keeps what was typed."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from contextapp.accounts.models import Role, User
from contextapp.accounts.services import add_member
from contextapp.memory.models import MemoryReview, MemoryRevision
from contextapp.memory.services import claim as claim_record
from tests.memory.records import approved, candidate
from tests.world import World

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

LIST, DESK = {"HX-Request": "true", "HX-Target": "more"}, {"HX-Request": "true", "HX-Target": "desk"}


@pytest.fixture
def bob(world: World) -> Client:
    return client_of(world.bob)


def client_of(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def form(record: MemoryRevision, action: str, **typed: str) -> dict[str, str]:
    """What the desk sends that drew the record as it is now."""
    record.refresh_from_db()
    seen = {"version": str(record.version), "shown_sha256": bytes(record.shown_sha256).hex(), "ms_on_screen": "4000"}
    return {**seen, "evidence_opened": "1", "action": action, **typed}


def decide(client: Client, record: MemoryRevision, given: dict[str, str], **headers: Any) -> Response:
    return client.post(reverse("memory:decide", args=[record.pk]), given, **headers)


def shown(response: Response) -> list[str]:
    return [row.revision.shown for row in response.context["page"].rows]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["Never push to main.", "Spaces, not tabs."]),
        ("?order=quick", ["Spaces, not tabs.", "Never push to main."]),
        ("?kind=constraint", ["Never push to main."]),
        ("?scope=directory", []),
        ("?q=spaces", ["Spaces, not tabs."]),
        ("?queue=approved", ["Use tabs."]),
        ("?queue=quarantine", []),
        ("?queue=nonsense", ["Never push to main.", "Spaces, not tabs."]),
    ],
)
def test_the_address_chooses_what_is_listed_and_in_which_order(
    world: World, bob: Client, query: str, expected: list[str]
) -> None:
    candidate(world, claim="Spaces, not tabs.")
    candidate(world, claim="Never push to main.", kind="constraint")
    approved(world, candidate(world, claim="Use tabs."))

    response = bob.get(reverse("memory:list") + query)

    assert shown(response) == expected


def test_the_order_is_remembered(world: World, bob: Client) -> None:
    bob.get(reverse("memory:list") + "?order=quick")

    response = bob.get(reverse("memory:list"))

    assert response.context["filters"].order == "quick"


def test_records_of_one_conflict_key_stand_together(world: World, bob: Client) -> None:
    candidate(world, claim="The port is 8000.", conflict_key="shop/port")
    candidate(world)
    candidate(world, claim="The port is 9000.", conflict_key="shop/port")

    response = bob.get(reverse("memory:list"))

    assert sorted(len(group.rows) for group in response.context["page"].groups) == [1, 2]
    assert b"2 records, one decision" in response.content


def test_the_second_page_brings_the_rest_and_costs_few_queries(world: World, bob: Client) -> None:
    for number in range(53):
        candidate(world, claim=f"Service {number} listens on port {8000 + number}.")
    bob.get(reverse("memory:list"))

    with CaptureQueriesContext(connection) as asked:
        first = bob.get(reverse("memory:list"))
    second = bob.get(reverse("memory:list") + "?offset=50", headers=LIST)

    assert (len(shown(first)), len(shown(second)), second.context["page"].next_offset) == (50, 3, None)
    assert b"<html" not in second.content
    assert len(asked) <= 20


@pytest.mark.parametrize(
    ("role", "may"), [("admin", True), ("reviewer", True), ("auditor", False), ("developer", False)]
)
def test_who_may_decide_sees_the_form_and_holds_the_record(world: World, role: str, may: bool) -> None:
    person = User.objects.create_user("dora")
    add_member(project=world.project, user=person, role=Role(role), by="user:alice")
    record = candidate(world)

    response = client_of(person).get(reverse("memory:detail", args=[record.pk]))

    record.refresh_from_db()
    assert response.status_code == 200
    assert (b"data-decision" in response.content, record.claimed_by) == (may, "user:dora" if may else "")
    assert decide(client_of(person), record, form(record, "skip")).status_code == (302 if may else 403)


def test_a_stranger_learns_nothing(world: World) -> None:
    record, stranger = candidate(world), client_of(world.charlie)

    for name in ("detail", "effect"):
        assert stranger.get(reverse(f"memory:{name}", args=[record.pk])).status_code == 404
    for name in ("decide", "undo", "claim", "leave"):
        assert stranger.post(reverse(f"memory:{name}", args=[record.pk])).status_code == 404


def test_a_detail_costs_few_queries(world: World, bob: Client) -> None:
    record = candidate(world)
    bob.get(reverse("memory:detail", args=[record.pk]))

    with CaptureQueriesContext(connection) as asked:
        bob.get(reverse("memory:detail", args=[record.pk]))

    assert len(asked) <= 30


def test_without_a_script_a_decision_leads_to_the_next_record_and_then_to_the_summary(
    world: World, bob: Client
) -> None:
    first, second = candidate(world), candidate(world, claim="Use tabs.")
    start = bob.get(reverse("memory:start"))

    after_first = decide(bob, first, form(first, "approve", approve_note="alice said so"))
    after_second = decide(bob, second, form(second, "reject", reason_code="wrong"))
    summary = bob.get(after_second["Location"])

    assert start["Location"] == reverse("memory:detail", args=[first.pk])
    assert after_first["Location"] == reverse("memory:detail", args=[second.pk])
    assert after_second["Location"] == reverse("memory:round")
    assert dict(summary.context["summary"].counts) == {"approve": 1, "reject": 1}
    assert MemoryReview.objects.filter(ms_on_screen=4000).count() == 2


def test_with_htmx_the_answer_is_the_next_desk_with_undo(world: World, bob: Client) -> None:
    first, second = candidate(world), candidate(world, claim="Use tabs.")

    response = decide(bob, first, form(first, "approve", approve_note="yes"), headers=DESK)

    assert response["HX-Push-Url"] == reverse("memory:detail", args=[second.pk])
    assert response.content.lstrip().startswith(b'<div id="desk"')
    assert reverse("memory:undo", args=[first.pk]).encode() in response.content


def test_undo_is_offered_on_the_next_page_without_a_script_too(world: World, bob: Client) -> None:
    first, second = candidate(world), candidate(world, claim="Use tabs.")
    decide(bob, first, form(first, "reject", reason_code="wrong"))

    page = bob.get(reverse("memory:detail", args=[second.pk]))
    bob.post(reverse("memory:undo", args=[first.pk]))
    after = bob.get(reverse("memory:detail", args=[second.pk]))

    first.refresh_from_db()
    assert reverse("memory:undo", args=[first.pk]).encode() in page.content
    assert first.state == "candidate"
    assert reverse("memory:undo", args=[first.pk]).encode() not in after.content


def test_a_stale_decision_says_what_changed_and_keeps_the_note(world: World, bob: Client) -> None:
    record = candidate(world)
    given = form(record, "reject", reason_code="wrong", decline_note="my long thought")
    decide(client_of(world.alice), record, form(record, "skip", skip_note="not mine"))

    response = decide(bob, record, given, headers=DESK)

    assert response.status_code == 409
    for text in (b"my long thought", b"user:alice: skip (not mine)", b"What you typed is still here"):
        assert text in response.content
    record.refresh_from_db()
    assert record.state == "candidate"


def test_an_approval_within_two_seconds_of_what_wants_thought_is_asked_once_more(world: World, bob: Client) -> None:
    record = candidate(world)
    given = form(record, "approve", approve_note="yes", ms_on_screen="900")

    asked = decide(bob, record, given)
    sure = decide(bob, record, {**given, "sure": "1"})

    record.refresh_from_db()
    assert (asked.status_code, b'name="sure" value="1"' in asked.content) == (422, True)
    assert (sure.status_code, record.state) == (302, "approved")


def test_a_plain_record_is_approved_as_fast_as_one_likes(world: World, bob: Client) -> None:
    record = candidate(world, claim="Spaces, not tabs.")

    decide(bob, record, form(record, "approve", approve_note="yes", ms_on_screen="300"))

    record.refresh_from_db()
    assert record.state == "approved"


@pytest.mark.parametrize(
    ("action", "typed"),
    [
        ("approve", {"approve_note": "", "decline_note": "kept"}),
        ("reject", {"reason_code": "", "decline_note": "kept"}),
        ("reject", {"reason_code": "other", "skip_note": "", "decline_note": "", "approve_note": "kept"}),
        ("dance", {"approve_note": "kept"}),
        ("approve", {"version": "x", "approve_note": "kept"}),
    ],
)
def test_an_incomplete_decision_is_refused_and_keeps_what_was_typed(
    world: World, bob: Client, action: str, typed: dict[str, str]
) -> None:
    record = candidate(world)

    response = decide(bob, record, form(record, action, **typed))

    record.refresh_from_db()
    assert (response.status_code, record.state) == (422, "candidate")
    assert b"kept" in response.content


def test_the_second_person_sees_the_first_note_only_after_a_vote(world: World, bob: Client) -> None:
    record = candidate(world, scope="global", scope_key="")
    decide(client_of(world.alice), record, form(record, "approve", approve_note="alice knows why"))
    address = reverse("memory:detail", args=[record.pk])

    before = bob.get(address)
    decide(bob, record, form(record, "skip"))
    skipped = bob.get(address)
    decide(bob, record, form(record, "approve", approve_note="so do I"))
    after = bob.get(address)

    assert b"alice knows why" not in before.content
    assert b"alice knows why" not in skipped.content
    assert b"alice knows why" in after.content


def test_a_stale_second_vote_does_not_tell_the_first_note(world: World, bob: Client) -> None:
    record = candidate(world, scope="global", scope_key="")
    given = form(record, "approve", approve_note="my own reason")
    decide(client_of(world.alice), record, form(record, "approve", approve_note="alice knows why"))

    response = decide(bob, record, given)

    assert response.status_code == 409
    assert b"my own reason" in response.content
    assert b"alice knows why" not in response.content


def test_two_people_who_disagree_are_listed_as_disputed(world: World, bob: Client) -> None:
    record = candidate(world, scope="global", scope_key="")
    candidate(world)
    decide(client_of(world.alice), record, form(record, "approve", approve_note="yes"))
    decide(bob, record, form(record, "reject", reason_code="wrong"))

    response = bob.get(reverse("memory:list") + "?queue=disputed")

    assert [row.revision.pk for row in response.context["page"].rows] == [record.pk]


def test_bulk_decides_what_was_chosen_and_leaves_what_changed(world: World, bob: Client) -> None:
    first, changed, unchosen = (candidate(world, claim=f"Fact number {n}.") for n in range(3))
    chosen = [f"{record.pk}:{record.version}" for record in (first, changed)]
    decide(client_of(world.alice), changed, form(changed, "skip"))

    response = bob.post(
        reverse("memory:bulk"), {"action": "reject", "reason_code": "task_residue", "record": chosen}, follow=True
    )

    states = dict(MemoryRevision.objects.values_list("pk", "state"))
    assert states == {first.pk: "rejected", changed.pk: "candidate", unchosen.pk: "candidate"}
    assert f"{changed.reference} was decided on at version".encode() in response.content


@pytest.mark.parametrize("given", [[], ["1"], ["x:1"], [f"{number}:1" for number in range(51)]])
def test_bulk_refuses_a_list_that_makes_no_sense(world: World, bob: Client, given: list[str]) -> None:
    record = candidate(world)

    bob.post(reverse("memory:bulk"), {"action": "reject", "reason_code": "wrong", "record": given}, follow=True)

    record.refresh_from_db()
    assert record.state == "candidate"


@pytest.mark.parametrize(
    ("action", "typed", "expected"),
    [
        ("narrow", {"scope": "session", "scope_key": "0192-a", "change_note": "only here"}, ("session", "0192-a")),
        ("reword", {"claim": "Run the tests with make test."}, ("workspace", "/srv/shop")),
    ],
)
def test_narrowing_and_rewording_make_a_revision_for_another_reviewer(
    world: World, bob: Client, action: str, typed: dict[str, str], expected: tuple[str, str]
) -> None:
    record = candidate(world)

    response = decide(bob, record, form(record, action, **typed))

    newest = MemoryRevision.objects.get(lineage=record.lineage, revision=2)
    assert response["Location"] == reverse("memory:detail", args=[newest.pk])
    assert (newest.scope, newest.scope_key, newest.state) == (*expected, "candidate")


def test_a_record_that_somebody_holds_is_shown_with_their_name(world: World, bob: Client) -> None:
    record = candidate(world)
    claim_record(revision_id=record.pk, reviewer=world.alice)

    page = bob.get(reverse("memory:detail", args=[record.pk]))
    beat = bob.post(reverse("memory:claim", args=[record.pk]), headers={"HX-Request": "true"})

    assert b"user:alice has" in page.content
    assert (beat.status_code, b"user:alice has" in beat.content) == (409, True)


def test_a_claim_ends_by_leaving_or_by_time(world: World, bob: Client) -> None:
    record = candidate(world)
    address = reverse("memory:detail", args=[record.pk])
    client_of(world.alice).get(address)
    MemoryRevision.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    bob.get(address)
    record.refresh_from_db()
    holder = record.claimed_by
    bob.post(reverse("memory:leave", args=[record.pk]))

    record.refresh_from_db()
    assert (holder, record.claimed_by) == ("user:bob", "")


def test_a_person_proposes_and_does_not_approve(world: World, bob: Client) -> None:
    given = {"claim": "Use tabs.", "kind": "preference", "scope": "workspace", "scope_key": "/srv/shop", "why": "I do"}

    response = bob.post(reverse("memory:new"), given)

    record = MemoryRevision.objects.get()
    assert response["Location"] == reverse("memory:detail", args=[record.pk])
    assert record.proposed_by == "user:bob"
    assert decide(bob, record, form(record, "approve", approve_note="mine")).status_code == 422


def test_a_refused_proposal_keeps_its_words(world: World, bob: Client) -> None:
    response = bob.post(reverse("memory:new"), {"claim": "Use tabs.", "kind": "poem", "scope": "workspace"})

    assert response.status_code == 422
    assert b"Use tabs." in response.content


def test_nothing_of_a_hostile_claim_is_live(world: World, bob: Client) -> None:
    record = candidate(world, claim="<script>alert(1)</script> zero\u200bwidth \u202eturned")

    page = bob.get(reverse("memory:detail", args=[record.pk])).content.decode()

    assert "<script>alert" not in page
    assert "\u200b" not in page
    assert "\u202e" not in page
    assert "U+200B" in page
    assert "U+202E" in page
