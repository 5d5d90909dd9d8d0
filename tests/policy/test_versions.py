"""A policy's way from draft to force to the past: who changes what, what is refused, and what the audit trail keeps."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, transaction

from contextapp.accounts.models import AuditEntry
from contextapp.engine.policy import Policy
from contextapp.policy.errors import PolicyChanged, PolicyRefused, WrongState
from contextapp.policy.models import PolicyState, PolicyVersion
from contextapp.policy.selectors import active_policy, policy_state
from contextapp.policy.services import activate, create_draft, retire, roll_back, update_draft
from tests.world import World

BY = "user:alice"


def body(**ratios: int) -> dict[str, Any]:
    whole = Policy().to_dict()
    return whole | {"ratios": whole["ratios"] | ratios}


def draft(world: World, **ratios: int) -> PolicyVersion:
    return create_draft(project=world.project, body=body(**ratios), by=BY)


def publish(version: PolicyVersion, over: int = 1) -> PolicyVersion:
    return activate(version=version, note="because", seen=policy_state(version), seen_active=over, by=BY)


def test_a_draft_comes_into_force_and_the_one_before_retires(world: World) -> None:
    made = draft(world, memory=10, transcript=55)
    assert active_policy(world.project.id).number == 1

    publish(made)

    active = active_policy(world.project.id)
    assert (active.number, active.ratios["memory"], active.ratios["transcript"]) == (2, 10, 55)  # type: ignore[index]
    states = PolicyVersion.objects.filter(project=world.project).order_by("number").values_list("state", flat=True)
    assert list(states) == [PolicyState.RETIRED, PolicyState.ACTIVE]
    entry = AuditEntry.objects.filter(action="policy.activated", actor=BY).get()
    assert (entry.before["number"], entry.after["number"], entry.after["note"]) == (1, 2, "because")
    assert entry.before["body"]["ratios"]["memory"] == 5
    assert entry.after["body"]["ratios"]["memory"] == 10


def test_of_two_who_edit_one_draft_the_second_is_told_and_overwrites_nothing(world: World) -> None:
    made = draft(world)
    seen = policy_state(made)
    update_draft(version=made, body=body(memory=6, transcript=59), note="first", seen=seen, by=BY)

    with pytest.raises(PolicyChanged, match="overwritten"):
        update_draft(version=made, body=body(memory=9, transcript=56), note="second", seen=seen, by="user:bob")

    made.refresh_from_db()
    assert (made.body["ratios"]["memory"], made.note) == (6, "first")
    [entry] = AuditEntry.objects.filter(action="policy.changed")
    assert (entry.before["body"]["ratios"]["memory"], entry.after["body"]["ratios"]["memory"]) == (5, 6)


def test_of_two_who_publish_the_second_is_told_what_is_in_force(world: World) -> None:
    first, second = draft(world, memory=6, transcript=59), draft(world, memory=9, transcript=56)
    publish(first)

    with pytest.raises(PolicyChanged, match="Version 2 is in force"):
        publish(second, over=1)

    assert active_policy(world.project.id).number == 2
    assert publish(second, over=2).state == PolicyState.ACTIVE


def test_what_was_in_force_never_changes_not_even_past_the_services(world: World) -> None:
    made = draft(world)
    seen = policy_state(made)
    publish(made)

    for attempt in (
        lambda: update_draft(version=made, body=body(), note="", seen=seen, by=BY),
        lambda: retire(version=made, seen=seen, by=BY),
        lambda: activate(version=made, note="again", seen=seen, seen_active=2, by=BY),
    ):
        with pytest.raises(WrongState, match="2"):
            attempt()
    for change in ({"body": {}}, {"state": PolicyState.DRAFT}, {"number": 77}, {"note": "better"}):
        with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
            PolicyVersion.objects.filter(id=made.id).update(**change)


def test_rolling_back_makes_a_new_version_of_the_old_body(world: World) -> None:
    publish(draft(world, memory=9, transcript=56))
    first = PolicyVersion.objects.get(project=world.project, number=1)

    made = roll_back(version=first, note="it lost results", seen_active=2, by=BY)

    assert (made.number, made.state) == (3, PolicyState.ACTIVE)
    assert active_policy(world.project.id).ratios == Policy().ratios
    first.refresh_from_db()
    assert first.state == PolicyState.RETIRED


def test_only_what_was_in_force_is_rolled_back_to(world: World) -> None:
    made = draft(world)
    with pytest.raises(WrongState, match="not in force"):
        roll_back(version=made, note="no", seen_active=1, by=BY)

    retire(version=made, seen=policy_state(made), by=BY)

    with pytest.raises(WrongState, match="not in force"):
        roll_back(version=made, note="no", seen_active=1, by=BY)


def test_coming_into_force_needs_a_note(world: World) -> None:
    made = draft(world)
    with pytest.raises(PolicyRefused, match="note"):
        activate(version=made, note=" ", seen=policy_state(made), seen_active=1, by=BY)
    first = PolicyVersion.objects.get(project=world.project, number=1)
    with pytest.raises(PolicyRefused, match="note"):
        roll_back(version=first, note="", seen_active=1, by=BY)
    with pytest.raises(PolicyRefused, match="501"):
        activate(version=made, note="n" * 501, seen=policy_state(made), seen_active=1, by=BY)

    assert active_policy(world.project.id).number == 1
