"""A session that an agent is writing: its page asks for news, gets nothing while there is none, and shows what came."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from django.test import Client

from contextapp.accounts.models import AuditEntry
from contextapp.contexts.services import index_session
from contextapp.eventlog.models import Session
from contextapp.eventlog.services import update_session_facts
from tests.world import World, build_world

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.databases import CommittedDatabase

NEWS = {"HX-Request": "true", "HX-Target": "session-news"}


def live(world: World) -> Session:
    session = world.open_session(title="Running", model="gpt-4o")
    grow(world, session, "first words")
    return session


def grow(world: World, session: Session, text: str) -> None:
    world.append(
        session,
        ("user.message", {"text": text}),
        ("model.message", {"message_id": text, "text": f"answer to {text}", "model": "gpt-4o"}),
    )
    index_session(session_id=session.id)


def test_the_page_asks_for_what_comes_after_what_it_shows(world: World) -> None:
    session = live(world)
    client = Client()
    client.force_login(world.alice)

    page = client.get(f"/sessions/{session.id}/").content.decode()
    asked = re.search(r'id="session-news" hx-get="([^"]+)"', page)
    assert asked is not None and asked[1] == "?after=2"
    nothing = client.get(f"/sessions/{session.id}/?after=2", headers=NEWS)
    grow(world, session, "second words")
    news = client.get(f"/sessions/{session.id}/?after=2", headers=NEWS)

    assert (nothing.status_code, nothing.content) == (204, b"")
    assert "second words" in news.content.decode() and "first words" not in news.content.decode()
    assert 'hx-get="?after=4"' in news.content.decode()
    assert news["HX-Trigger-After-Swap"] == "session-grew"


def test_asking_for_news_is_no_reading(world: World) -> None:
    session = live(world)
    client = Client()
    client.force_login(world.bob)

    client.get(f"/sessions/{session.id}/?after=0", headers=NEWS)
    assert not AuditEntry.objects.filter(action="transcript.read").exists()
    client.get(f"/sessions/{session.id}/")

    assert AuditEntry.objects.filter(action="transcript.read").count() == 1


def test_a_session_that_has_ended_or_was_imported_asks_for_nothing(world: World) -> None:
    from django.utils import timezone

    ended, imported = live(world), world.open_session(origin="import", model="gpt-4o")
    update_session_facts(session_id=ended.id, ended_at=timezone.now())
    client = Client()
    client.force_login(world.alice)

    for session in (ended, imported):
        assert "session-news" not in client.get(f"/sessions/{session.id}/").content.decode()


@pytest.mark.browser
def test_new_turns_and_steps_appear_while_the_agent_runs(
    committed_db: CommittedDatabase, live_url: str, browser_page: Page
) -> None:
    world = build_world()
    session = live(world)
    world.alice.set_password("a long enough password")
    world.alice.save()
    page = browser_page
    page.goto(f"{live_url}/login/?next=/sessions/{session.id}/")
    page.fill("[name=username]", "alice")
    page.fill("[name=password]", "a long enough password")
    page.click("main button")
    page.get_by_text("Waiting for what the agent does next").wait_for()

    grow(world, session, "second words")

    page.get_by_text("answer to second words").wait_for(timeout=15_000)
    assert page.locator("#session-news").count() == 1
    assert page.locator("section.turn").count() == 2
