"""The spool: an event that was taken is in the log in the end, whatever dies in between; one that can't be taken is refused."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from contextapp.client import Client, Retry, ServerUnavailable, SpoolDamaged, SpoolFull, SpoolInUse
from tests.client.agents import key_of_a_project
from tests.databases import CommittedDatabase

NOWHERE = "http://127.0.0.1:9"
QUICK = Retry(budget_seconds=0.1, first_seconds=0.02)
PATIENT = Retry(budget_seconds=30, first_seconds=0.05, most_seconds=0.2)
SERVER = """
import os, sys
from django.conf import settings
from wsgiref.simple_server import make_server, WSGIRequestHandler
import django
django.setup()
from django.core.handlers.wsgi import WSGIHandler
class Quiet(WSGIRequestHandler):
    def log_message(self, *args): pass
make_server("127.0.0.1", int(sys.argv[1]), WSGIHandler(), handler_class=Quiet).serve_forever()
"""


def away(spool: Path, **more: object) -> Client:
    return Client(NOWHERE, "ctx_a_b", spool=spool, retry=QUICK, **more)  # type: ignore[arg-type]


def numbers(client: Client, external_id: str) -> list[str]:
    page = client.session(external_id=external_id).events(limit=1000)
    return [one["payload"]["text"] for one in page.events]


def test_what_waits_in_the_spool_is_sent_by_the_next_process(live_url: str, tmp_path: Path) -> None:
    key, spool = key_of_a_project(), tmp_path / "spool"
    with away(spool) as client:
        session = client.session(external_id="run-1", model="claude-opus-4-6", title="Kept")
        ids = [session.user_message(str(number)) for number in range(3)]
        with pytest.raises(ServerUnavailable):
            client.flush()

    with Client(live_url, key, spool=spool) as client:
        assert client.waiting == 3
        client.flush()
        page = client.session(external_id="run-1").events()

    assert [one["event_id"] for one in page.events] == [str(one) for one in ids]
    with Client(live_url, key, spool=spool) as client:
        assert client.waiting == 0


def test_a_batch_whose_answer_was_lost_is_stored_once(live_url: str, tmp_path: Path) -> None:
    key, spool = key_of_a_project(), tmp_path / "spool"
    with away(spool) as client:
        client.session(external_id="run-1").user_message("a")
    before = spool.read_bytes()
    with Client(live_url, key, spool=spool) as client:
        client.flush()
    spool.write_bytes(before)  # as if the process had died before it could note the answer

    with Client(live_url, key, spool=spool) as client:
        assert client.waiting == 1
        client.flush()
        assert numbers(client, "run-1") == ["a"]


@contextmanager
def server(port: int, database: CommittedDatabase) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "DATABASE_URL": database.url, "DJANGO_SETTINGS_MODULE": "contextapp.config.settings"}
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(port)], env=environment, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_server_that_is_killed_and_started_again_has_every_event_once(
    committed_db: CommittedDatabase, tmp_path: Path
) -> None:
    key = key_of_a_project()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    client = Client(f"http://127.0.0.1:{port}", key, spool=tmp_path / "spool", retry=PATIENT, background_seconds=0.01)
    session = client.session(external_id="run-1", model="claude-opus-4-6")

    with server(port, committed_db) as process:
        for number in range(30):
            session.user_message(str(number))
            time.sleep(0.02)
        session.flush()
        session.user_message("30")
        os.kill(process.pid, signal.SIGKILL)
    for number in range(31, 40):
        session.user_message(str(number))
    with server(port, committed_db):
        session.flush()
        assert client.waiting == 0
        assert numbers(client, "run-1") == [str(number) for number in range(40)]
        client.close()


def test_a_full_spool_refuses_loudly_and_keeps_what_it_has(tmp_path: Path) -> None:
    with away(tmp_path / "spool", spool_limit_bytes=2000) as client:
        session = client.session(external_id="run-1")
        taken = 0
        with pytest.raises(SpoolFull, match="limit of 2000"):
            for _ in range(100):
                session.user_message("word " * 20)
                taken += 1

        assert client.waiting == taken > 0


def test_a_line_that_broke_off_was_never_taken(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    with away(spool) as client:
        client.session(external_id="run-1").user_message("a")
    whole = spool.read_bytes()
    spool.write_bytes(whole + whole.splitlines()[-1][:20])

    with away(spool) as client:
        client.session(external_id="run-1").user_message("b")
        assert client.waiting == 2
    with away(spool) as client:
        assert client.waiting == 2


def test_a_damaged_spool_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    with away(spool) as client:
        client.session(external_id="run-1").user_message("alpha")
    damaged = spool.read_bytes().replace(b"alpha", b"omega")
    spool.write_bytes(damaged)

    with pytest.raises(SpoolDamaged, match="line 2"):
        away(spool)

    assert spool.read_bytes() == damaged


def test_two_processes_do_not_share_a_spool(tmp_path: Path) -> None:
    with away(tmp_path / "spool"), pytest.raises(SpoolInUse):
        away(tmp_path / "spool")


def test_a_refused_event_lies_beside_the_spool(live_url: str, tmp_path: Path) -> None:
    client = Client(live_url, key_of_a_project(), spool=tmp_path / "spool")
    client.session(external_id="run-1").append("event.redacted", {"reason": "mine"})

    with pytest.raises(Exception, match="refused"):
        client.close()

    line = (tmp_path / "spool.refused").read_bytes().partition(b" ")[2]
    assert json.loads(line)["event"]["payload"] == {"reason": "mine"}


def test_the_spool_shrinks_when_it_was_sent(live_url: str, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    with Client(live_url, key_of_a_project(), spool=spool) as client:
        session = client.session(external_id="run-1", model="claude-opus-4-6")
        for number in range(30):
            session.tool_completed(f"c{number}", "x" * 100_000)
        client.flush()
        session.user_message("last")

        assert spool.stat().st_size < 10_000
    with away(spool) as client:
        assert client.waiting == 0
