"""A suspected constraint is confirmed or dismissed where it is shown, by a person who may, in a live agent's session only."""

from __future__ import annotations

import pytest
from django.test import Client

from contextapp.accounts.models import AuditEntry, Role
from contextapp.accounts.services import add_member
from contextapp.contexts.services import build_step, index_session
from contextapp.contexts.states import state_upto
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import get_events, head_seq
from tests.contexts.stories import answers, live, recorded, says, two_turns
from tests.world import World


@pytest.fixture
def session(world: World) -> Session:
    made = live(world, says("Fix the parser. Do not touch the public API."), answers("m1", "I see."))
    index_session(session_id=made.id)
    return made


@pytest.fixture
def alice(client: Client, world: World) -> Client:
    client.force_login(world.alice)
    return client


def suspected(session: Session) -> str:
    found = state_upto(session.id, head_seq(session.id)).constraints
    return next((one.id for one in found if not one.confirmed), "seq:1.9")


def decide(client: Client, session: Session, action: str, constraint: str = "") -> str:
    address = f"/sessions/{session.id}/constraints/decide/"
    constraint = constraint or suspected(session)
    return client.post(address, {"constraint": constraint, "action": action}, follow=True).content.decode()


def test_a_confirmed_one_stands_in_every_input_from_there_on(alice: Client, session: Session, world: World) -> None:
    assert "suspected" in alice.get(f"/sessions/{session.id}/").content.decode()

    name = suspected(session)
    page = decide(alice, session, "confirm")

    event = get_events(session.id)[-1]
    entry = AuditEntry.objects.filter(action="constraint.confirmed").latest("id")
    assert (event.type, event.payload["id"], event.payload["evidence"]) == ("constraint.added", name, [1])
    assert "confirmed" in page and entry.before is not None and "public API" in entry.before["text"]
    world.append(session, says("Go on."))
    built = build_step(session_id=session.id, build_id=session.id, actor="key:test")
    assert built.request is not None
    assert any("confirmed, event 3): Do not touch the public API" in block.text for block in built.request.blocks)


def test_a_dismissed_one_is_gone(alice: Client, session: Session) -> None:
    page = decide(alice, session, "dismiss")

    assert get_events(session.id)[-1].type == "constraint.lifted"
    assert "The constraint is dismissed." in page and "suspected" not in page


def test_what_is_decided_already_changes_nothing(alice: Client, session: Session) -> None:
    name = suspected(session)
    decide(alice, session, "confirm")
    head = len(get_events(session.id))

    page = decide(alice, session, "confirm", name)

    assert "is not suspected any more" in page and len(get_events(session.id)) == head


def test_another_word_than_the_two_is_refused(alice: Client, session: Session) -> None:
    answer = alice.post(f"/sessions/{session.id}/constraints/decide/", {"constraint": "seq:1.0", "action": "burn"})

    assert answer.status_code == 400


def test_what_was_imported_stays_as_it_was_recorded(alice: Client, world: World) -> None:
    session = recorded(world, [says("Do not push."), *two_turns()])
    page = alice.get(f"/sessions/{session.id}/").content.decode()

    told = decide(alice, session, "confirm")

    assert "suspected" in page and "Dismiss" not in page
    assert "only in the session of a live agent" in told


def test_an_auditor_sees_it_and_may_not_decide(client: Client, world: World, session: Session) -> None:
    add_member(project=world.project, user=world.charlie, role=Role.AUDITOR, by="test")
    client.force_login(world.charlie)

    assert "Dismiss" not in client.get(f"/sessions/{session.id}/").content.decode()
    address = f"/sessions/{session.id}/constraints/decide/"
    assert client.post(address, {"constraint": "seq:1.0", "action": "confirm"}).status_code == 403
