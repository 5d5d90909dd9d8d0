"""Locks, connections, time and disk run out: the writer hears it soon, the others go on, and a retry ends in a clean log."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from django.db import connection, transaction
from django.test import Client

from contextapp.accounts.services import create_api_key
from contextapp.eventlog.services import append
from tests import clusters
from tests.faults.history import LOST, History, attempt, drafts_of, run_clients, wait_for
from tests.faults.stored import assert_sound, is_clean, rows_of
from tests.world import World, draft


@contextmanager
def limited(url: str, **limits: str) -> Iterator[None]:
    """The product with shorter patience, as deploy/roles.sql gives its role."""
    options = " ".join(f"-c {name}={value}" for name, value in limits.items())
    with clusters.connected_to(url, options=options):
        yield


@contextmanager
def held(url: str, session: UUID) -> Iterator[None]:
    """Somebody else holds the head of the session in a transaction that does not end."""
    with psycopg.connect(url) as other:
        other.execute("SELECT 1 FROM eventlog_head WHERE session_id = %s FOR UPDATE", [session])
        yield
        other.rollback()


@pytest.mark.fault("F12")
def test_a_held_head_costs_its_own_session_a_moment_and_the_others_nothing(
    database_url: str, crash_world: World
) -> None:
    session, other = (crash_world.open_session().id for _ in range(2))
    history = History()
    with limited(database_url, lock_timeout="200ms"), held(database_url, session):
        blocked = attempt(history, 1, 0, session, drafts_of(1, 0, 2))
        free = attempt(history, 2, 0, other, drafts_of(2, 0, 2))

    again = attempt(history, 1, 0, session, drafts_of(1, 0, 2))

    assert (blocked, free, again) == ("unknown", "ok", "ok")
    assert "lock timeout" in history.operations[0].error
    assert history.operations[0].ended - history.operations[0].started < 2
    assert_sound(history, [session, other], crash_world)


@pytest.mark.fault("F13")
def test_a_transaction_that_idles_is_ended_and_leaves_nothing(database_url: str, crash_world: World) -> None:
    session = crash_world.open_session().id
    with limited(database_url, idle_in_transaction_session_timeout="150ms"):
        with pytest.raises(LOST), transaction.atomic():
            append(session_id=session, drafts=drafts_of(1, 0, 2), actor="test")
            time.sleep(0.5)
            append(session_id=session, drafts=drafts_of(1, 1, 2), actor="test")
        connection.close()

    assert rows_of([session]) == []
    assert append(session_id=session, drafts=drafts_of(1, 0, 2), actor="test").first_seq == 1


@pytest.mark.fault("F14")
def test_no_free_connection_is_told_within_a_second(database_url: str, crash_world: World) -> None:
    session = crash_world.open_session().id
    history = History()
    pool = {"min_size": 0, "max_size": 2, "timeout": 0.5}
    taken, release = threading.Barrier(3), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            append(session_id=crash_world.open_session().id, drafts=drafts_of(9, 0, 1), actor="test")
            taken.wait()
            release.wait()
        connection.close()

    with clusters.connected_to(database_url, pool=pool):
        holders = [threading.Thread(target=hold) for _ in range(2)]
        for each in holders:
            each.start()
        taken.wait()
        refused = attempt(history, 1, 0, session, drafts_of(1, 0, 2))
        answer = over_http(crash_world, session, key="ctx_0_0")
        release.set()
        for each in holders:
            each.join()
        again = attempt(history, 1, 0, session, drafts_of(1, 0, 2))

    assert (refused, again) == ("unknown", "ok")
    assert history.operations[0].ended - history.operations[0].started < 1
    assert answer == (503, "busy", "1")
    assert_sound(history, [session], crash_world)


def over_http(world: World, session: UUID, key: str = "", text: str = "") -> tuple[int, str | None, str | None]:
    """Status, code and Retry-After of an append through the API."""
    key = key or create_api_key(project=world.project, name="agent", scopes=["ingest"], by="test")[1]
    event = {
        "event_id": str(UUID(int=77)),
        "type": "user.message",
        "payload": {"text": text},
        "occurred_at": "2026-01-01T00:00:00Z",
    }
    answer = Client(raise_request_exception=False).post(
        f"/api/v1/sessions/{session}/events",
        {"events": [event]},
        content_type="application/json",
        headers={"authorization": f"Bearer {key}"},
    )
    return answer.status_code, answer.json().get("code"), answer.headers.get("Retry-After")


@pytest.mark.fault("F15")
def test_a_server_without_connections_is_not_ready_and_recovers(
    fault_cluster: clusters.TestCluster, database_url: str, crash_world: World
) -> None:
    session = crash_world.open_session().id
    history = History()
    with clusters.connected_to(database_url, pool={"min_size": 0, "max_size": 4, "timeout": 0.5}):
        with ExitStack() as others:
            with pytest.raises(psycopg.OperationalError, match="too many clients|reserved"):
                while True:
                    others.enter_context(psycopg.connect(database_url))
            ready = Client().get("/readyz").status_code
            refused = attempt(history, 1, 0, session, drafts_of(1, 0, 1))
            answer = over_http(crash_world, session, key="ctx_0_0")
        end = time.monotonic() + 20
        while attempt(history, 1, 0, session, drafts_of(1, 0, 1)) != "ok":
            assert time.monotonic() < end

    assert (ready, refused) == (503, "unknown")
    assert answer == (503, "busy", "1")
    assert_sound(history, [session], crash_world)


@pytest.mark.fault("F18", "F12")
def test_a_statement_that_takes_too_long_is_ended_and_answered_503(database_url: str, crash_world: World) -> None:
    session = crash_world.open_session().id
    key = create_api_key(project=crash_world.project, name="agent", scopes=["ingest"], by="test")[1]
    with limited(database_url, statement_timeout="200ms"), held(database_url, session):
        answer = over_http(crash_world, session, key)

    assert answer == (503, "storage_unavailable", "2")
    assert rows_of([session]) == []
    assert over_http(crash_world, session, key) == (200, None, None)


@pytest.mark.fault("F12")
def test_a_head_that_stays_held_is_told_as_busy(database_url: str, crash_world: World) -> None:
    session = crash_world.open_session().id
    key = create_api_key(project=crash_world.project, name="agent", scopes=["ingest"], by="test")[1]

    with limited(database_url, lock_timeout="200ms"), held(database_url, session):
        answer = over_http(crash_world, session, key)

    assert answer == (503, "busy", "1")


@pytest.mark.fault("F3")
def test_a_server_that_is_away_is_told_apart_from_one_that_is_busy(
    fault_cluster: clusters.TestCluster, database_url: str, crash_world: World
) -> None:
    session = crash_world.open_session().id
    fault_cluster.stop("fast")

    answer = over_http(crash_world, session, key="ctx_0_0")

    assert answer == (503, "storage_unavailable", "2")


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A file system of 32 MB that the server may write to."""
    folder = Path(tempfile.mkdtemp(prefix="small-", dir="/tmp"))
    mounted = os.geteuid() == 0 and mount(folder, "size=32m").returncode == 0
    if not mounted:
        folder.rmdir()
        pytest.skip("only root may mount a small tmpfs to fill up")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def mount(folder: Path, options: str) -> subprocess.CompletedProcess[bytes]:
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True)


@pytest.mark.slow
@pytest.mark.fault("F16")
def test_a_full_disk_loses_nothing_and_reads_go_on(
    fault_cluster: clusters.TestCluster, fault_template: str, small_disk: Path, database_url: str
) -> None:
    home = small_disk / "tablespace"
    home.mkdir()
    user = fault_cluster.cluster.home.user
    if user is not None:
        os.chown(home, user.uid, user.gid)
        small_disk.chmod(0o755)
    fault_cluster.execute(f"CREATE TABLESPACE small LOCATION '{home}'")
    fault_cluster.execute(f"CREATE DATABASE filled TEMPLATE {fault_template} STRATEGY WAL_LOG TABLESPACE small")
    try:
        with clusters.connected_to(fault_cluster.url("filled")):
            fill_up_and_recover(small_disk)
    finally:
        fault_cluster.drop("filled")
        fault_cluster.execute("DROP TABLESPACE small")


def fill_up_and_recover(disk: Path) -> None:
    from tests.world import build_world

    world = build_world()
    sessions = [world.open_session().id for _ in range(3)]
    key = create_api_key(project=world.project, name="agent", scopes=["ingest"], by="test")[1]
    full: list[int] = []
    answers: list[tuple[int, str | None, str | None]] = []
    read: list[int] = []

    def fill(history: History) -> None:
        wait_for(history, "unknown", 4)
        full.append(sum("No space left" in each.error for each in history.operations))
        read.append(len(rows_of(sessions)))
        answers.append(over_http(world, sessions[0], key, "x" * 2_000_000))
        world.project.refresh_from_db()
        assert mount(disk, "remount,size=128m").returncode == 0
        wait_for(history, "ok", 6)

    history = run_clients(sessions, fill, least=1, filler=60_000)

    assert full[0] >= 4
    assert answers == [(503, "storage_full", "30")]
    assert read[0] > 0
    assert_sound(history, sessions, world)


@pytest.mark.fault("F6")
def test_a_refusal_writes_nothing(crash_world: World) -> None:
    session = crash_world.open_session().id
    history = History()
    attempt(history, 1, 0, session, drafts_of(1, 0, 2))
    changed = [drafts_of(1, 0, 2)[0], draft("user.message", {"other": True}, drafts_of(1, 0, 2)[1].event_id)]

    outcome = attempt(history, 2, 0, session, [drafts_of(2, 0, 1)[0], *changed])

    assert outcome == "fail"
    assert len(rows_of([session])) == 2
    assert is_clean(session)
