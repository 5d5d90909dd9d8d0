"""Checkpoints leave the machine: a file that is only appended to, and a webhook that may be down for a while."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from contextapp.eventlog.checkpoint_keys import known_keys
from contextapp.eventlog.errors import PublicationFailed
from contextapp.eventlog.models import Checkpoint, SessionVerification
from contextapp.eventlog.services import TAKE_CHECKPOINT, publish_checkpoints, take_checkpoint
from contextapp.evidence import saved, signed_note
from contextapp.jobs.models import JobState
from contextapp.jobs.services import enqueue, run_now
from tests.world import World


class Hook:
    """A real server on the loopback that answers with `status` and keeps what it was sent."""

    def __init__(self) -> None:
        self.status = 200
        self.received: list[tuple[str, str]] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                hook.received.append((self.headers["Content-Type"], body))
                self.send_response(hook.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.place = f"127.0.0.1:{self.server.server_port}"


@pytest.fixture
def hook(settings: Settings) -> Iterator[Hook]:
    made = Hook()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    settings.CHECKPOINT_WEBHOOK = f"http://{made.place}/secret-path"
    settings.OUTBOUND_ALLOW_HOSTS = [made.place]
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def take(world: World, text: str = "one") -> Checkpoint:
    world.append(world.open_session(), ("user.message", {"text": text}))
    found = take_checkpoint()
    assert found is not None
    return found


def test_a_checkpoint_reaches_the_file_once(world: World, evidence_folder: Path) -> None:
    first, second = take(world), take(world)

    assert publish_checkpoints() == 2
    assert publish_checkpoints() == 0

    first.refresh_from_db()
    kept = saved.read((evidence_folder / "checkpoints.txt").read_text())
    assert kept.notes == (first.note, second.note)
    assert first.published_to["file"]["ok"] is True
    assert first.published_to["file"]["at"]


def test_a_crash_between_writing_and_noting_writes_no_second_line(world: World, evidence_folder: Path) -> None:
    found = take(world)
    publish_checkpoints()
    Checkpoint.objects.filter(number=1).update(published_to={"file": {"ok": False, "at": None, "what": "waits"}})

    publish_checkpoints()

    assert (evidence_folder / "checkpoints.txt").read_text() == f"{found.note}\n"


def test_a_file_that_can_not_be_written_is_tried_again(world: World, evidence_folder: Path, settings: Settings) -> None:
    take(world)
    settings.CHECKPOINT_FILE = evidence_folder / "checkpoint_key.pem" / "below-a-file"
    with pytest.raises(PublicationFailed, match="wait to be published to file"):
        publish_checkpoints()

    settings.CHECKPOINT_FILE = evidence_folder / "checkpoints.txt"

    assert publish_checkpoints() == 1


def test_a_webhook_is_told_the_note_that_verifies(world: World, hook: Hook) -> None:
    found = take(world)

    publish_checkpoints()

    found.refresh_from_db()
    kind, body = hook.received[0]
    assert (kind, body) == ("text/plain; charset=utf-8", found.note)
    assert signed_note.opened(body, known_keys())
    assert found.published_to["webhook"]["what"] == "127.0.0.1 answered 200"  # the path may be a secret
    assert len(hook.received) == 1


def test_a_webhook_that_fails_is_tried_again_and_the_file_does_not_wait(
    world: World, hook: Hook, evidence_folder: Path
) -> None:
    hook.status = 503
    world.append(world.open_session(), ("user.message", {"text": "one"}))

    job = run_now(enqueue(kind=TAKE_CHECKPOINT, key="log", payload={}).pk)

    found = Checkpoint.objects.get()
    assert (job.state, "wait to be published to webhook" in job.last_error) == (JobState.QUEUED, True)
    assert (found.published_to["webhook"]["ok"], found.published_to["file"]["ok"]) == (False, True)
    assert found.published_to["webhook"]["what"] == "127.0.0.1 answered 503"
    assert {one.verdict for one in SessionVerification.objects.all()} == {"verified"}  # the badge does not wait either

    hook.status = 204
    assert publish_checkpoints() == 1
    assert [body for _, body in hook.received] == [found.note, found.note]


def test_a_webhook_of_our_own_network_is_refused_unless_allowed(world: World, hook: Hook, settings: Settings) -> None:
    settings.OUTBOUND_ALLOW_HOSTS = []
    found = take(world)

    with pytest.raises(PublicationFailed):
        publish_checkpoints()

    found.refresh_from_db()
    assert "use https, or allow the host by name" in found.published_to["webhook"]["what"]
    assert hook.received == []


def test_a_webhook_that_is_named_later_gets_what_is_taken_from_then_on(world: World, settings: Settings) -> None:
    take(world)
    publish_checkpoints()
    settings.CHECKPOINT_WEBHOOK = "http://127.0.0.1:1/"

    assert publish_checkpoints() == 0
