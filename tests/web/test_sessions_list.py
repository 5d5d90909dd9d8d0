"""The first page: who sees which sessions, in which order, and how the list goes on."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from contextapp.accounts.services import create_project, ensure_administrator
from contextapp.eventlog.models import Session
from tests.world import World

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


def open_many(world: World, count: int, root: str, start: datetime = NOON, **facts: object) -> list[Session]:
    """Newest first."""
    return [
        world.open_session(
            workspace_root=root, title=f"{root} {number}", started_at=start - timedelta(hours=number), **facts
        )
        for number in range(count)
    ]


def titles(page: str) -> list[str]:
    return re.findall(r'<td class="title"><a href="[^"]+" title="([^"]*)"', page)


def get(client: Client, query: str = "", **headers: str) -> str:
    answer = client.get(f"/sessions/{query}", headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_checks_access(world: World, reader: Client, stranger: Client):
    world.open_session(title="Alice's own")
    bob = Client()
    bob.force_login(world.bob)

    assert titles(get(reader)) == titles(get(bob)) == ["Alice&#x27;s own"]
    assert titles(get(stranger)) == []
    assert stranger.get("/sessions/?project=wonderland").status_code == 404
    assert Client().get("/sessions/").url == "/login/?next=/sessions/"


def test_sessions_are_grouped_by_workspace_and_the_newest_workspace_comes_first(world: World, reader: Client):
    open_many(world, 2, "/home/a/old", NOON - timedelta(days=9))
    open_many(world, 1, "/home/a/new", NOON)

    page = get(reader)

    assert titles(page) == ["/home/a/new 0", "/home/a/old 0", "/home/a/old 1"]
    assert "3 of 3" in page
    assert re.findall(r'<th scope="rowgroup" colspan="7">(\w+) <span class="muted">\((\d+)\)', page) == [
        ("new", "1"),
        ("old", "2"),
    ]


def test_a_long_workspace_goes_on_in_place_until_all_are_shown(world: World, reader: Client):
    opened = open_many(world, 70, "/home/a/long")

    first = get(reader)
    href = re.search(r'<a href="([^"]+)" hx-get="\1" hx-target="#more-\d+"', first)[1].replace("&amp;", "&")
    second = get(reader, href.removeprefix("/sessions/"), **{"HX-Request": "true", "HX-Target": target(first)})
    href = re.search(r'<a href="([^"]+)" hx-get', second)[1].replace("&amp;", "&")
    third = get(reader, href.removeprefix("/sessions/"))

    assert "64 more in this workspace" in first
    assert "<html" not in second
    assert "<html" in third
    assert titles(first) + titles(second) + titles(third) == [session.title for session in opened]


def target(page: str) -> str:
    return re.search(r'id="(more-\d+)"', page)[1]


def test_more_workspaces_than_a_page_holds_are_a_link_away(world: World, reader: Client):
    for number in range(23):
        open_many(world, 1, f"/home/a/w{number:02}", NOON - timedelta(days=number))

    first = get(reader)
    after = re.search(r'href="/sessions/(\?after=\d+)"', first)[1]
    second = get(reader, after, **{"HX-Request": "true", "HX-Target": "more"})

    assert len(titles(first)) == 12
    assert titles(second) == [f"/home/a/w{number} 0" for number in range(12, 23)]


def test_sessions_without_a_workspace_have_a_group_of_their_own(world: World, reader: Client):
    world.open_session(title="nowhere")
    open_many(world, 1, "/home/a/w")

    assert "No workspace" in get(reader)
    assert titles(get(reader, "?workspace=0")) == ["nowhere"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?agent=codex", ["b"]),
        ("?model=gpt-5.4", ["b"]),
        ("?flag=denial", ["a"]),
        ("?flag=denial&flag=overflow", []),
        ("?q=A", ["a"]),
        ("?q=序列", ["c 序列化"]),
    ],
)
def test_filters_and_search_narrow_the_list(world: World, reader: Client, query: str, expected: list[str]):
    marked = world.open_session(title="a", agent="claude-code", model="claude-opus-4-6", started_at=NOON)
    Session.objects.filter(id=marked.id).update(denial_count=1)
    world.open_session(title="b", agent="codex", model="gpt-5.4")
    world.open_session(title="c 序列化")

    page = get(reader, query)

    assert titles(page) == expected
    assert f"{len(expected)} of 3" in page


def test_a_period_counts_from_now(world: World, reader: Client):
    world.open_session(title="fresh", started_at=datetime.now(UTC) - timedelta(hours=2))
    world.open_session(title="old", started_at=datetime.now(UTC) - timedelta(days=40))

    assert titles(get(reader, "?period=24h")) == ["fresh"]
    assert reader.get("/sessions/?period=ever").status_code == 400


def test_a_filter_that_fits_nothing_says_so_and_leads_back(world: World, reader: Client):
    world.open_session(title="a")

    page = get(reader, "?q=nothing-like-it")

    assert "None of the 1 sessions fits these filters." in page


def test_an_empty_project_names_the_commands(world: World, reader: Client):
    page = get(reader)

    assert "make import" in page
    assert "--since 7d --last 20" in page


def test_a_hostile_title_is_text(world: World, reader: Client):
    world.open_session(title='"><script>alert(1)</script>\x1b[31m\u202e')

    page = get(reader)

    assert "<script>alert" not in page
    assert "U+202E" in page


def test_samples_are_in_front_until_there_are_sessions_of_ones_own(client: Client, db: None):
    admin = ensure_administrator()
    samples = create_project(slug="samples", name="Samples", by="system", is_sample=True)
    made = World(admin, admin, admin, samples, samples)
    guided = made.open_session(title="The push", project_id=samples.id, origin="sample")
    Session.objects.filter(id=guided.id).update(
        guide={"en": {"question": "Why did the agent push?", "answer_steps": []}}
    )
    client.force_login(admin)

    page = get(client)

    assert "Why did the agent push?" in page
    assert reverse("sessions:detail", args=[guided.id]) in page


def test_the_number_of_queries_does_not_grow_with_the_list(world: World, reader: Client):
    open_many(world, 1, "/home/a/first")
    get(reader)  # the first page of a login writes its CSRF token
    with CaptureQueriesContext(connection) as few:
        get(reader)
    for number in range(15):
        open_many(world, 9, f"/home/a/w{number:02}", NOON - timedelta(days=number))

    with CaptureQueriesContext(connection) as many:
        get(reader)

    assert len(many) == len(few) <= 16
