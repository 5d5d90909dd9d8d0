"""The film strip of a session: sources by step, where each falls out of view, within a bounded page."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from contextapp.contexts import selectors
from contextapp.eventlog.models import Session
from tests.contexts.stories import a_step, recorded, says, two_turns
from tests.world import World


@pytest.fixture
def session(world: World) -> Session:
    return recorded(world, two_turns())


@pytest.fixture
def alice(client: Client, world: World) -> Client:
    client.force_login(world.alice)
    return client


def test_a_source_is_followed_from_its_first_step_to_where_a_summary_takes_its_place(session: Session) -> None:
    film = selectors.film(session.id)

    strips = {strip.source_id: strip for strip in film.strips}
    result = next(strip for name, strip in strips.items() if strip.kind == "tool_result" and strip.runs[0].mode == "")
    assert (film.first_step, film.last_step, film.step_count) == (1, 4, 4)
    assert [(run.first_step, run.last_step, run.mode) for run in result.runs][0][2] == ""
    assert {run.mode for run in result.runs} >= {"", "full", "none"}
    assert sum(run.width for run in result.runs) == film.steps == 4
    assert any(strip.kind == "summary" and strip.runs[-1].mode == "summary" for strip in film.strips)


def test_the_page_links_each_run_to_its_step_and_says_it_in_words(alice: Client, session: Session) -> None:
    page = alice.get(f"/sessions/{session.id}/strip/").content.decode()

    assert "steps 1–4 of 4" in page
    assert re.search(rf'href="/sessions/{session.id}/steps/\d/\?origin=observed" title="[^"]*: full\. ', page)
    assert page.count("data-row") == len(selectors.film(session.id).strips)


def test_it_is_narrowed_by_name_and_kind(alice: Client, session: Session) -> None:
    named = alice.get(f"/sessions/{session.id}/strip/", {"q": "claude.md"}).content.decode()
    kind = alice.get(f"/sessions/{session.id}/strip/", {"kind": "summary"}).content.decode()
    nothing = alice.get(f"/sessions/{session.id}/strip/", {"q": "zebra"}).content.decode()

    assert named.count("data-row") == 1 and kind.count("data-row") == 1
    assert "No source fits this filter." in nothing


def test_a_long_session_is_shown_page_by_page_with_its_largest_sources(alice: Client, world: World) -> None:
    story = [says("Go."), *(event for number in range(130) for event in a_step(number, words=3))]
    session = recorded(world, story)

    with CaptureQueriesContext(connection) as captured:
        first = alice.get(f"/sessions/{session.id}/strip/").content.decode()
    second = alice.get(f"/sessions/{session.id}/strip/", {"from": "121"}).content.decode()

    assert "steps 1–120 of 130" in first and "Later steps" in first and "smaller sources are not shown" in first
    assert "steps 121–130 of 130" in second and "Earlier steps" in second
    assert first.count("data-row") == 80 and len(captured) <= 20


def test_a_session_without_ledgers_says_so(alice: Client, world: World) -> None:
    session = world.open_session()

    assert "has no recorded ledger" in alice.get(f"/sessions/{session.id}/strip/").content.decode()
