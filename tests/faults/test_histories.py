"""Six writers, and a server that is killed, stopped, restarted and cut off under them: nothing acknowledged is lost."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import pytest

from tests import clusters
from tests.faults.checker import faults
from tests.faults.history import History, run_clients, wait_for
from tests.faults.proxy import proxied
from tests.faults.stored import assert_sound, is_clean, rows_of
from tests.world import World

WRITES = b'"batch":'  # what drafts_of puts into every payload: an append is one statement, and this goes with it

pytestmark = pytest.mark.slow


@pytest.fixture
def sessions(crash_world: World) -> list[UUID]:
    return [crash_world.open_session().id for _ in range(3)]


def backends(cluster: clusters.TestCluster, name: str) -> list[int]:
    rows = cluster.execute(f"SELECT pid FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()")
    return [int(str(pid)) for (pid,) in rows]


def test_nobody_disturbs_them(crash_world: World, sessions: list[UUID]) -> None:
    history = run_clients(sessions, lambda history: wait_for(history, "ok", 60))

    assert history.count("unknown") == history.count("fail") == 0
    assert_sound(history, sessions, crash_world)


@pytest.mark.fault("F65")
def test_verification_meanwhile_raises_no_false_alarm(crash_world: World, sessions: list[UUID]) -> None:
    verdicts: list[bool] = []

    def verify(history: History) -> None:
        for _ in range(10):
            verdicts.extend(is_clean(session) for session in sessions)
            wait_for(history, "ok", 5)

    history = run_clients(sessions, verify)

    assert verdicts == [True] * 30
    assert_sound(history, sessions, crash_world)


@pytest.mark.fault("F1")
def test_a_backend_is_killed(
    fault_cluster: clusters.TestCluster, database_name: str, crash_world: World, sessions: list[UUID]
) -> None:
    def kill(history: History) -> None:
        for _ in range(2):
            wait_for(history, "ok", 20)
            os.kill(backends(fault_cluster, database_name)[0], signal.SIGKILL)  # the server ends all and recovers
            wait_for(history, "unknown", 1)
        wait_for(history, "ok", 20)

    history = run_clients(sessions, kill)

    assert_sound(history, sessions, crash_world)


@pytest.mark.fault("F2")
def test_the_server_is_stopped_at_once(
    fault_cluster: clusters.TestCluster, crash_world: World, sessions: list[UUID]
) -> None:
    def crash(history: History) -> None:
        wait_for(history, "ok", 20)
        fault_cluster.stop("immediate")
        wait_for(history, "unknown", 3)
        fault_cluster.start()
        wait_for(history, "ok", 20)

    history = run_clients(sessions, crash)

    assert_sound(history, sessions, crash_world)


def test_an_answer_before_the_disk_has_it_would_be_found(
    fault_cluster: clusters.TestCluster, database_url: str, sessions: list[UUID]
) -> None:
    """The same crash with synchronous_commit off: this is what the runs above would say of a product that loses events."""
    lazy = {"wal_writer_delay": "10s", "wal_writer_flush_after": "1GB"}
    for name, value in lazy.items():
        fault_cluster.execute(f"ALTER SYSTEM SET {name} = '{value}'")
    fault_cluster.execute("SELECT pg_reload_conf()")

    def crash(history: History) -> None:
        wait_for(history, "ok", 60)
        fault_cluster.stop("immediate")
        fault_cluster.start()
        wait_for(history, "ok", 10)

    try:
        with clusters.connected_to(database_url, options="-c synchronous_commit=off"):
            history = run_clients(sessions, crash)
        found = faults(history.operations, rows_of(sessions))
    finally:
        for name in lazy:
            fault_cluster.execute(f"ALTER SYSTEM RESET {name}")
        fault_cluster.execute("SELECT pg_reload_conf()")

    assert "acknowledged and lost" in found


@pytest.mark.fault("F3")
def test_the_server_is_restarted(
    fault_cluster: clusters.TestCluster, database_name: str, crash_world: World, sessions: list[UUID]
) -> None:
    def restart(history: History) -> None:
        wait_for(history, "ok", 20)
        busy.extend(backends(fault_cluster, database_name))
        fault_cluster.stop("fast")
        fault_cluster.start()
        wait_for(history, "ok", 20)

    busy: list[int] = []
    history = run_clients(sessions, restart)

    assert busy  # had connections that the stop ended, whether or not one of them was in the middle of an append
    assert_sound(history, sessions, crash_world)


@pytest.mark.fault("F3")
def test_every_connection_is_terminated(
    fault_cluster: clusters.TestCluster, database_name: str, crash_world: World, sessions: list[UUID]
) -> None:
    def terminate(history: History) -> None:
        while history.count("unknown") < 3:
            wait_for(history, "ok", 10)
            for pid in backends(fault_cluster, database_name):
                fault_cluster.execute(f"SELECT pg_terminate_backend({pid})")
        wait_for(history, "ok", 10)

    history = run_clients(sessions, terminate)

    assert_sound(history, sessions, crash_world)


@pytest.mark.fault("F4", "F5")
def test_answers_and_requests_are_lost(
    fault_cluster: clusters.TestCluster, database_name: str, crash_world: World, sessions: list[UUID]
) -> None:
    def cut(history: History) -> None:
        proxy.cut_answers = 7
        wait_for(history, "ok", 60)
        proxy.cut_answers, proxy.cut_requests = 0, 7
        wait_for(history, "ok", 60)
        proxy.cut_requests = 0

    folder = tempfile.mkdtemp(prefix="proxy-", dir="/tmp")  # a socket's path must be short
    url = f"postgresql://contextapp@:5432/{database_name}?host={quote(folder, safe='')}"
    with proxied(fault_cluster.socket, Path(folder), WRITES) as proxy, clusters.connected_to(url):
        history = run_clients(sessions, cut)
    shutil.rmtree(folder)

    assert proxy.answers_lost > 3
    assert proxy.requests_lost > 3
    assert history.retried_duplicates() > 3  # stored, though their writer had heard nothing
    assert_sound(history, sessions, crash_world)
