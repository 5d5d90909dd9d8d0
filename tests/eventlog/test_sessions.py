"""Opening sessions: once per external id, with clean facts."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from django.db import connection

from contextapp.eventlog.models import Session
from contextapp.eventlog.services import update_session_facts
from tests.world import World, build_world

if TYPE_CHECKING:
    from tests.databases import CommittedDatabase


def test_an_external_id_opens_one_session_per_project(world: World) -> None:
    first = world.open_session(external_id="claude_code:1", title="first")

    second = world.open_session(external_id="claude_code:1", title="second")
    foreign = world.open_session(external_id="claude_code:1", project_id=world.foreign_project.id)

    assert (second.id, second.title) == (first.id, "first")
    assert foreign.id != first.id


def test_sessions_without_an_external_id_are_apart(world: World) -> None:
    assert world.open_session().id != world.open_session().id


@pytest.mark.parametrize(
    ("root", "name"),
    [("/home/a/shop", "shop"), ("C:\\Users\\a\\shop", "shop"), ("/", "/"), ("/" + "x" * 2000, "x" * 200)],
)
def test_the_workspace_is_named_by_its_folder(world: World, root: str, name: str) -> None:
    session = world.open_session(workspace_root=root)

    assert session.workspace is not None
    assert session.workspace.name.startswith(name[:190])
    assert world.open_session(workspace_root=root).workspace == session.workspace


def test_facts_are_masked_and_fit_their_columns(world: World) -> None:
    token = "ghp_" + "a1" * 18
    session = world.open_session(title=f"use {token}\n\0 now \ud800", model="m" * 500, session_id=UUID(int=5))

    update_session_facts(session_id=session.id, agent=f"a {token}", quarantine_count=3, workspace_root="/srv/x")

    session.refresh_from_db()
    assert session.title == "use [masked:github_token] � now ?"
    assert len(session.model) == 120
    assert (session.agent, session.quarantine_count) == ("a [masked:github_token]", 3)
    assert session.workspace is not None
    assert session.workspace.root == "/srv/x"


def test_an_unknown_fact_is_refused(world: World) -> None:
    with pytest.raises(ValueError, match="session fact 'project_id' is unknown"):
        update_session_facts(session_id=world.open_session().id, project_id=1)


def test_many_openers_of_one_id_get_one_session(committed_db: CommittedDatabase) -> None:
    world = build_world()
    start = threading.Barrier(6)
    opened: list[UUID] = []

    def open_one() -> None:
        start.wait()
        try:
            opened.append(world.open_session(external_id="claude_code:1", workspace_root="/srv/x").id)
        finally:
            connection.close()

    openers = [threading.Thread(target=open_one) for _ in range(6)]
    for opener in openers:
        opener.start()
    for opener in openers:
        opener.join()

    assert len(opened) == 6
    assert set(opened) == {Session.objects.get().id}
