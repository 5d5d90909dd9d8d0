"""The client against the real server: sync and async tell the same, refusals are named, a build and its overflow come back."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from contextapp import client as package
from contextapp.client import (
    AsyncClient,
    BadArgument,
    Client,
    ContextOverflow,
    EventsRefused,
    NotAuthenticated,
    NotFound,
    Retry,
)
from tests.client.agents import key_of_a_project

QUICK = Retry(budget_seconds=2, first_seconds=0.02)


@pytest.fixture
def key(live_url: str) -> str:
    return key_of_a_project()


def test_an_agents_loop(live_url: str, key: str, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Run the tests before you finish.")

    with Client(live_url, key) as client:
        session = client.session(external_id="run-1", title="Fix it", model="claude-opus-4-6")
        session.load_instructions(tmp_path)
        session.user_message("Fix the parser.")
        first = session.build(format="anthropic")
        session.model_message("I look.", message_id="m1", model="claude-opus-4-6")
        session.tool_requested("c1", "Read", {"path": "a.py"}, message_id="m1")
        session.tool_completed("c1", "def f(): ...")
        session.usage(message_id="m1", input_uncached=100, output=5)
        second = session.build()
        page = session.events(after=0)
        tools = session.events(types="tool.", limit=1)
        rest = session.events(types=["tool.", "user.message"], after=tools.go_on)

    assert (first.step, second.step) == (1, 2)
    assert "Fix the parser." in str(first.request["messages"])
    assert "Run the tests" in str(second.request)
    assert second.ledger["step"] == 2
    assert [one["type"] for one in tools.events + rest.events] == ["tool.requested", "tool.completed"]
    assert rest.go_on == rest.head_seq == page.head_seq
    assert [one["type"] for one in page.events if one["type"] != "context.built"] == [
        "instructions.loaded", "user.message", "model.message", "tool.requested", "tool.completed", "usage.reported",
    ]  # fmt: skip


def test_what_was_built_can_be_asked_about(live_url: str, key: str) -> None:
    with Client(live_url, key) as client:
        session = client.session(model="claude-opus-4-6")
        session.user_message("Fix the parser.")
        built = session.build()
        session.model_message("Done.", message_id="m1")
        session.build()

        request, why, diff, verdict = (
            session.request(1),
            session.why("Fix the parser."),
            session.diff(2),
            session.verify(),
        )

    assert (request["request_sha256"], request["same_bytes"]) == (built.request_sha256, True)
    assert (len(why["seqs"]), why["step_count"]) == (1, 2)
    assert diff["step"] == 2
    assert verdict["verdict"] in ("verified", "unanchored")


def test_a_build_that_is_asked_for_again_is_the_same(live_url: str, key: str) -> None:
    with Client(live_url, key) as client:
        session = client.session(model="claude-opus-4-6")
        session.user_message("Hi.")
        build_id = uuid4()

        once, again = session.build(build_id=build_id), session.build(build_id=build_id)

    assert once == again


def test_an_overflow_brings_its_figures(live_url: str, key: str) -> None:
    with Client(live_url, key) as client:
        session = client.session(model="made-up-1", model_window_tokens=1000)
        session.user_message("word " * 4000)

        with pytest.raises(ContextOverflow) as raised:
            session.build()

    assert raised.value.bucket
    assert (raised.value.required_tokens or 0) > (raised.value.available_tokens or 0)
    assert raised.value.ways_out


def test_an_event_that_is_refused_is_named_and_the_others_are_sent(live_url: str, key: str) -> None:
    with Client(live_url, key) as client:
        session = client.session(model="claude-opus-4-6")
        session.user_message("a")
        bad = session.append("event.redacted", {})
        session.user_message("b")

        with pytest.raises(EventsRefused) as raised:
            session.flush()

        assert [one.event_id for one in raised.value.refused] == [str(bad)]
        assert [one["payload"]["text"] for one in session.events().events] == ["a", "b"]


def test_events_for_a_session_that_is_not_there_are_refused(live_url: str, key: str) -> None:
    with Client(live_url, key) as client:
        session = client.session(session_id=uuid4())
        session.user_message("a")

        with pytest.raises(EventsRefused):
            client.flush()
        with pytest.raises(NotFound):
            session.events()


def test_a_wrong_key_is_told_and_nothing_is_lost(live_url: str) -> None:
    client = Client(live_url, "ctx_wrong_key")
    client.session(model="m").user_message("a")

    with pytest.raises(NotAuthenticated):
        client.close()

    assert client.waiting == 1


def test_a_client_that_nobody_closes_does_not_lose_in_silence() -> None:
    code = (
        "from contextapp.client import Client\n"
        "client = Client('http://127.0.0.1:9', 'ctx_a_b')\n"
        "client.session().user_message('a')\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={}, check=False)

    assert "1 events were never sent" in done.stderr


@pytest.mark.parametrize("given", ["../../projects", "1", "00000000-0000-0000-0000-00000000000g"])
def test_an_id_that_is_no_uuid_never_enters_a_path(given: str) -> None:
    with Client("http://127.0.0.1:9", "ctx_a_b") as client, pytest.raises(BadArgument):
        client.session(session_id=given)


def test_a_thread_sends_in_the_background(live_url: str, key: str) -> None:
    with Client(live_url, key, background_seconds=0.05) as client:
        session = client.session(model="claude-opus-4-6")
        session.user_message("a")
        for _ in range(100):
            if not client.waiting:
                break
            asyncio.run(asyncio.sleep(0.05))

        assert client.waiting == 0
        assert len(session.events().events) == 1


def test_the_asynchronous_client_tells_the_same(live_url: str, key: str) -> None:
    async def run() -> tuple[int, list[str], str]:
        async with AsyncClient(live_url, key, background_seconds=0.05) as client:
            session = client.session(external_id="run-2", model="claude-opus-4-6")
            session.user_message("Fix the parser.")
            built = await session.build(format="openai")
            session.model_message("Done.", message_id="m1")
            await session.flush()
            page = await session.events()
            ended = await session.end("done")
            return built.step, [one["type"] for one in page.events], str(ended["external_id"])

    step, types, external_id = asyncio.run(run())

    assert (step, external_id) == (1, "run-2")
    assert types == ["user.message", "context.built", "model.message"]


def test_half_a_surrogate_pair_arrives(live_url: str, key: str) -> None:
    with Client(live_url, key) as client:
        session = client.session(model="claude-opus-4-6")
        session.tool_completed("c1", "broken \ud83d and \x00")
        session.flush()

        assert session.events().events[0]["payload"]["content"] == "broken \ud83d and \x00"


def test_the_client_needs_neither_settings_nor_the_rest_of_the_project() -> None:
    code = (
        "import sys, contextapp.client\n"
        "ours = [name for name in sys.modules if name.startswith('contextapp.')]\n"
        "ours = [name for name in ours if not name.startswith('contextapp.client')]\n"
        "theirs = [name for name in ('django', 'celery', 'psycopg') if name in sys.modules]\n"
        "print(ours, theirs)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={}, check=False)

    assert (done.stdout.strip(), done.returncode) == ("[] []", 0), done.stderr
    assert set(package.__all__) <= set(vars(package))
