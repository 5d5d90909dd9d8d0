"""Reads: only what the reader may see, only as much as was asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from contextapp.accounts.services import create_api_key
from contextapp.engine.events import Event
from contextapp.eventlog import selectors
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import SessionFilters
from tests.world import World

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def numbered(world: World, count: int) -> Session:
    session = world.open_session()
    world.append(session, *[("user.message", {"n": number}) for number in range(1, count + 1)])
    return session


def test_a_range_of_events_is_in_order(world: World) -> None:
    session = numbered(world, 10)

    assert [event.seq for event in selectors.get_events(session.id)] == list(range(1, 11))
    assert [event.seq for event in selectors.get_events(session.id, after_seq=3, upto_seq=6)] == [4, 5, 6]
    assert [event.seq for event in selectors.get_events(session.id, after_seq=3, limit=2)] == [4, 5]
    assert [event.seq for event in selectors.get_events(session.id, seqs=[9, 2, 77])] == [2, 9]
    assert [event.payload["n"] for event in selectors.iter_events(session.id, page_events=3)] == list(range(1, 11))
    assert selectors.get_events(uuid4()) == []


@pytest.mark.parametrize(("limit", "first"), [(1, 500), (5, 496), (250, 251), (10_000, 1), (0, None)])
def test_the_tail_goes_back_as_far_as_the_weight(world: World, limit: int, first: int | None) -> None:
    session = numbered(world, 520)

    tail = selectors.tail_events(session.id, 500, limit, lambda event: 1)

    assert [event.seq for event in tail] == ([] if first is None else list(range(first, 501)))


def test_the_tail_stops_at_the_weight(world: World) -> None:
    session = numbered(world, 300)
    weighed: list[int] = []

    def weigh(event: Event) -> int:
        weighed.append(event.seq)
        return event.seq

    selectors.tail_events(session.id, 300, 890, weigh)

    assert weighed == [300, 299, 298]


def test_rows_cut_long_strings_and_say_so(world: World) -> None:
    session = world.open_session()
    world.append(session, ("tool.completed", {"content": "x" * 5000, "input": {"a": ["y" * 5000, "short"]}}))

    [row] = selectors.get_rows(session.id, preview_chars=10)

    assert row.payload == {"content": "x" * 10 + "…", "input": {"a": ["y" * 10 + "…", "short"]}}
    assert (row.cut_strings, row.payload_len > 10_000, len(row.hash), row.actor) == (2, True, 64, "test")


def test_a_session_is_found_by_members_and_keys_of_its_project_alone(world: World) -> None:
    session = world.open_session()
    key, _ = create_api_key(project=world.project, name="k", scopes=["read"], by=world.alice)
    foreign_key, _ = create_api_key(project=world.foreign_project, name="k", scopes=["read"], by=world.charlie)

    assert selectors.session_for(world.alice, session.id) == session
    assert selectors.session_for(world.bob, str(session.id)) == session
    assert selectors.session_for(key, session.id) == session
    for reader in (world.charlie, foreign_key):
        assert selectors.session_for(reader, session.id) is None
    assert selectors.session_for(world.alice, uuid4()) is None
    assert selectors.session_for(world.alice, "nonsense") is None


def test_the_list_is_paged_newest_first_with_undated_ones_at_the_end(world: World) -> None:
    for hours in (3, 1, 2, 2, None, None):
        world.open_session(started_at=None if hours is None else NOON + timedelta(hours=hours))

    seen: list[Session] = []
    cursor = ""
    while True:
        page = selectors.list_sessions([world.project.id], cursor=cursor, limit=2)
        seen += page.sessions
        cursor = page.next_cursor
        if not cursor:
            break

    hours = [None if found.started_at is None else (found.started_at - NOON).seconds // 3600 for found in seen]
    assert hours == [3, 2, 2, 1, None, None]
    assert len({found.id for found in seen}) == 6
    assert (page.matching, page.total) == (6, 6)


@pytest.mark.parametrize("cursor", ["nonsense", "~", "2026-01-01~x", f"2026-01-01~{uuid4()}", "\0"])
def test_a_broken_cursor_starts_from_the_beginning(world: World, cursor: str) -> None:
    world.open_session()

    assert len(selectors.list_sessions([world.project.id], cursor=cursor).sessions) == 1


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        ({"text": "LOGIN"}, {"fix login"}),
        ({"text": "shop"}, {"fix login", "写测试"}),
        ({"text": "测"}, {"写测试"}),
        ({"text": "100%"}, set()),
        ({"agent": "claude_code"}, {"fix login"}),
        ({"model": "gpt-5"}, {"写测试"}),
        ({"marks": ("overflow",)}, {"写测试"}),
        ({"marks": ("overflow", "denial")}, set()),
        ({"marks": ("nonsense",)}, {"fix login", "写测试", "child"}),
        ({"since": NOON}, {"写测试"}),
        ({"until": NOON}, {"fix login"}),
        ({"parents_only": True}, {"fix login", "写测试"}),
    ],
)
def test_the_list_is_filtered(world: World, filters: dict[str, object], titles: set[str]) -> None:
    first = world.open_session(
        title="fix login", agent="claude_code", workspace_root="/home/a/shop", started_at=NOON - timedelta(hours=1)
    )
    second = world.open_session(title="写测试", model="gpt-5", workspace_root="/home/a/shop", started_at=NOON)
    world.open_session(title="child", parent_id=first.id)
    world.open_session(title="fix login elsewhere", project_id=world.foreign_project.id)
    Session.objects.filter(id=second.id).update(overflow_count=2)

    found = selectors.list_sessions([world.project.id], SessionFilters(**filters))  # type: ignore[arg-type]

    assert {session.title for session in found.sessions} == titles
    assert (found.matching, found.total) == (len(titles), 3)


def test_the_menus_offer_what_is_there(world: World) -> None:
    for _ in range(2):
        world.open_session(agent="claude_code", model="claude-opus-4-5", workspace_root="/home/a/shop")
    world.open_session(agent="codex")
    world.open_session(agent="other", project_id=world.foreign_project.id)

    menu = selectors.menus([world.project.id])

    assert [(name, number) for _, name, number in menu.workspaces] == [("shop", 2)]
    assert menu.agents == (("claude_code", "claude_code", 2), ("codex", "codex", 1))
    assert menu.models == (("claude-opus-4-5", "claude-opus-4-5", 2),)


def test_counts_and_head_are_told(world: World) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {}), ("model.message", {}), ("user.message", {"n": 1}))

    assert selectors.event_counts(session.id) == {"model.message": 1, "user.message": 2}
    assert selectors.head_seq(session.id) == 3
    assert selectors.head_seq(uuid4()) == 0
