"""Following a session as it grows: a waiting request is answered when events come, holds up nobody, and is bounded."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from django.conf import settings
from django.db import connection

from contextapp.accounts.services import create_api_key
from contextapp.eventlog.waiting import WAITERS
from tests.api.client import ALL, event
from tests.world import World, build_world

if TYPE_CHECKING:
    from tests.databases import CommittedDatabase


class Live:
    """The API of a served product, with a key of Alice's project."""

    def __init__(self, url: str, world: World) -> None:
        _key, text = create_api_key(project=world.project, name="test", scopes=ALL, by="user:alice")
        self.http = httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {text}"}, timeout=40)
        self.session = self.http.post("/sessions", json={"model": "gpt-4o"}).json()["id"]

    def append(self, *texts: str, kind: str = "user.message") -> None:
        events = [event(kind, {"text": text}) for text in texts]
        self.http.post(f"/sessions/{self.session}/events", json={"events": events}).raise_for_status()

    def follow(self, after: int = 0, wait: int = 10, *types: str) -> httpx.Response:
        params = {"after": after, "wait": wait, "type": list(types)}
        return self.http.get(f"/sessions/{self.session}/events", params=params)


@pytest.fixture
def live(committed_db: CommittedDatabase, live_url: str) -> Iterator[Live]:
    found = Live(live_url, build_world())
    yield found
    found.http.close()  # the server waits for open connections when it ends


def in_background(function: Any, *args: Any) -> tuple[threading.Thread, list[Any]]:
    found: list[Any] = []

    def run() -> None:
        found.append(function(*args))
        found.append(time.monotonic())

    thread = threading.Thread(target=run)
    thread.start()
    return thread, found


def waiters() -> int:
    return WAITERS._count


def until(condition: Any, seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


def test_events_that_are_there_come_at_once(live: Live) -> None:
    live.append("one")

    started = time.monotonic()
    answer = live.follow(after=0, wait=30)

    assert [one["payload"]["text"] for one in answer.json()["events"]] == ["one"]
    assert time.monotonic() - started < 5


def test_a_waiting_request_is_answered_when_an_event_comes(live: Live) -> None:
    thread, found = in_background(live.follow, 0, 30)
    until(lambda: waiters() == 1 and WAITERS.listening.is_set())

    live.append("now")
    told = time.monotonic()
    thread.join(20)

    answer, arrived = found
    assert [one["payload"]["text"] for one in answer.json()["events"]] == ["now"]
    assert arrived - told < 3  # far below the time after which it looks by itself


def test_without_news_the_answer_is_empty_after_the_time(live: Live) -> None:
    live.append("one")
    started = time.monotonic()

    answer = live.follow(after=1, wait=1)

    assert (answer.json()["events"], answer.json()["head_seq"]) == ([], 1)
    assert 0.9 <= time.monotonic() - started < 8


def test_another_session_is_no_news(live: Live) -> None:
    thread, found = in_background(live.follow, 0, 2)
    until(lambda: waiters() == 1)
    other = live.http.post("/sessions", json={"model": "gpt-4o"}).json()["id"]

    live.http.post(f"/sessions/{other}/events", json={"events": [event("user.message", {"text": "x"})]})
    thread.join(20)

    assert found[0].json()["events"] == []


def test_where_too_many_wait_the_next_is_answered_at_once_and_others_are_served(live: Live) -> None:
    waiting = [in_background(live.follow, 0, 4) for _ in range(settings.API_WAITERS)]
    until(lambda: waiters() == settings.API_WAITERS)

    started = time.monotonic()
    refused = live.follow(after=0, wait=20)
    served = live.http.get(f"/sessions/{live.session}")

    assert (refused.status_code, refused.json()["events"], refused.headers["Retry-After"]) == (200, [], "1")
    assert served.status_code == 200
    assert time.monotonic() - started < 3
    for thread, _found in waiting:
        thread.join(20)
    until(lambda: waiters() == 0)


def test_a_listener_that_lost_its_connection_listens_again(live: Live) -> None:
    thread, found = in_background(live.follow, 0, 30)
    until(lambda: waiters() == 1 and WAITERS.listening.is_set())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
        )
        assert cursor.fetchall()

    live.append("after the break")
    thread.join(30)

    assert [one["payload"]["text"] for one in found[0].json()["events"]] == ["after the break"]


def test_events_of_other_types_do_not_end_the_wait_and_the_wanted_one_does(live: Live) -> None:
    thread, found = in_background(live.follow, 0, 30, "tool.", "error.reported")
    until(lambda: waiters() == 1 and WAITERS.listening.is_set())

    live.append("not this", "nor this")
    time.sleep(0.7)
    still_waiting = waiters() == 1
    live.append("this", kind="tool.progress")
    thread.join(20)

    assert still_waiting
    answer = found[0].json()
    assert [(one["seq"], one["type"]) for one in answer["events"]] == [(3, "tool.progress")]
    assert (answer["next_after"], answer["head_seq"]) == (None, 3)


def test_a_wait_in_vain_ends_at_its_time_and_says_how_far_it_looked(live: Live) -> None:
    started = time.monotonic()
    thread, found = in_background(live.follow, 0, 2, "tool.")
    until(lambda: waiters() == 1)

    live.append("one", "two")
    thread.join(20)

    answer, arrived = found
    assert (answer.json()["events"], answer.json()["next_after"], answer.json()["head_seq"]) == ([], None, 2)
    assert arrived - started >= 1.9
