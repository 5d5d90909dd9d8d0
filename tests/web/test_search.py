"""Search in what was recorded, and why a text was not in an input: as a person asks it on the pages."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from contextapp.accounts.models import AuditEntry
from contextapp.eventlog.models import Session
from contextapp.eventlog.services.deriving import derive_session
from tests.contexts.stories import calls, recorded, returns, says, two_turns
from tests.world import World


@pytest.fixture
def session(world: World) -> Session:
    made = recorded(world, [*two_turns(), says("Look at PaymentGateway.py and 支付网关的超时 <b>now</b>.")])
    derive_session(session_id=made.id)
    return made


@pytest.fixture
def alice(client: Client, world: World) -> Client:
    client.force_login(world.alice)
    return client


@pytest.mark.parametrize("text", ["PaymentGateway", "paymentgateway.py", "支付网关", "look payment"])
def test_an_event_is_found_by_its_words_and_shown_in_its_place(alice: Client, session: Session, text: str) -> None:
    page = alice.get("/search/", {"q": text}).content.decode()

    assert f'/sessions/{session.id}/events/22/"' in page and "user.message" in page
    assert "PaymentGateway.py" in page
    assert "<b>now</b>" not in page and "&lt;b&gt;now&lt;/b&gt;" in page


def test_nothing_found_nothing_asked_and_no_word_are_told_apart(alice: Client, session: Session) -> None:
    assert "holds all of these words" in alice.get("/search/", {"q": "zebra crossing"}).content.decode()
    assert "no word to look for" in alice.get("/search/", {"q": "…"}).content.decode()
    assert "Every word has to stand in the event" in alice.get("/search/").content.decode()


def test_what_is_not_read_yet_is_said(alice: Client, world: World, session: Session) -> None:
    world.append(session, says("One more."))

    assert "1 event is not read yet" in alice.get("/search/", {"q": "parser"}).content.decode()


def test_a_foreign_projects_events_are_not_found(client: Client, world: World, session: Session) -> None:
    client.force_login(world.charlie)

    assert str(session.id) not in client.get("/search/", {"q": "PaymentGateway"}).content.decode()


def test_a_search_is_noted_with_what_it_showed(alice: Client, session: Session) -> None:
    alice.get("/search/", {"q": "PaymentGateway"})

    entry = AuditEntry.objects.filter(action="project.searched").latest("id")
    assert entry.after == {"text": "PaymentGateway", "hits": 1, "sessions": [str(session.id)]}


def test_a_page_of_hits_costs_a_bounded_number_of_questions(alice: Client, world: World, session: Session) -> None:
    for number in range(30):
        more = world.open_session(title=f"s{number}")
        world.append(more, says(f"parser again {number}"))
        derive_session(session_id=more.id)

    with CaptureQueriesContext(connection) as captured:
        page = alice.get("/search/", {"q": "parser"}).content.decode()

    assert page.count("data-row") > 30 and len(captured) <= 20


def test_why_tells_each_run_of_steps_with_its_reason(alice: Client, session: Session) -> None:
    page = alice.get(f"/sessions/{session.id}/why/", {"text": "Fix the parser test."}).content.decode()

    assert "It stands in 1 event of the log:" in page
    assert "included, whole" in page
    assert "as a summary" in page or "excluded" in page


def test_why_says_what_is_not_in_the_log_and_what_came_later(alice: Client, session: Session) -> None:
    nowhere = alice.get(f"/sessions/{session.id}/why/", {"text": "never said"}).content.decode()
    later = alice.get(f"/sessions/{session.id}/why/", {"text": "Go on with the rest."}).content.decode()

    assert "Not in the log" in nowhere
    assert "not yet" in later and "had not come that far" in later


def test_why_without_a_question_and_of_a_missing_origin_explain_themselves(alice: Client, session: Session) -> None:
    assert "Paste what the model should have seen." in alice.get(f"/sessions/{session.id}/why/").content.decode()
    page = alice.get(f"/sessions/{session.id}/why/", {"text": "a", "origin": "built"}).content.decode()
    assert "has no built ledger" in page


def test_where_an_argument_came_from_names_the_sources_of_that_window_with_their_trust(
    alice: Client, world: World
) -> None:
    session = recorded(
        world,
        [
            says("Look at src/alpha.py first."),
            calls("m1", "c1", "Read", file_path="src/alpha.py"),
            returns("c1", "it imports src/beta.py"),
            calls("m2", "c2", "Read", file_path="src/beta.py"),
            returns("c2", "nothing"),
            calls("m3", "c3", "Read", file_path="src/gamma.py"),
            returns("c3", "nothing"),
        ],
    )

    def page(seq: int, value: str) -> str:
        return alice.get(f"/sessions/{session.id}/events/{seq}/from/", {"value": value}).content.decode()

    asked, told, made_up = page(2, "src/alpha.py"), page(4, "src/beta.py"), page(6, "src/gamma.py")
    assert f'/sessions/{session.id}/events/1/"' in asked and "trusted" in asked
    assert f'/sessions/{session.id}/events/3/"' in told and "untrusted" in told
    assert "nor anywhere in the log before this call" in made_up
    assert "src/alpha.py" in alice.get(f"/sessions/{session.id}/events/2/from/").content.decode()
    assert "This event is no call" in alice.get(f"/sessions/{session.id}/events/1/from/").content.decode()
    assert alice.get(f"/sessions/{session.id}/events/99/from/").status_code == 404
    assert "Where from?" in alice.get(f"/sessions/{session.id}/events/2/").content.decode()
