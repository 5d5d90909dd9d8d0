"""The embedded cluster against what happens to it: parallel starts, crashes, given-away pids, long paths, root."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from contextapp.config.environment import database
from contextapp.config.local import homes, postgres
from contextapp.config.local.places import LocalError
from tests.house.conftest import ask, postmaster_pid

OtherProcess = Callable[[Path], "subprocess.Popen[str]"]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another user")


def test_parallel_first_starts_share_one_cluster(data: Path, other_process: OtherProcess) -> None:
    starters = [other_process(data) for _ in range(4)]

    pids = {starter.stdout.readline() for starter in starters if starter.stdout}

    assert len(pids) == 1
    assert pids != {""}


def test_the_cluster_stops_with_the_last_process_that_uses_it(data: Path, other_process: OtherProcess) -> None:
    first = other_process(data)
    assert first.stdout is not None
    first.stdout.readline()
    cluster = postgres.ensure_running(data)

    first.communicate("")
    running_after_first = cluster.is_running()
    stopped = postgres.release(cluster)

    assert running_after_first
    assert stopped
    assert not cluster.is_running()


def test_a_process_that_is_killed_does_not_keep_the_cluster(data: Path, other_process: OtherProcess) -> None:
    killed = other_process(data)
    assert killed.stdout is not None
    killed.stdout.readline()
    cluster = postgres.ensure_running(data)

    killed.kill()
    killed.wait()

    assert postgres.release(cluster)


def test_a_pid_that_now_belongs_to_another_process_does_not_count_as_running(data: Path) -> None:
    cluster = postgres.ensure_running(data)
    postgres.release(cluster)
    user = cluster.home.user
    stranger = subprocess.Popen(["sleep", "60"], user=user.uid if user else None)
    (cluster.home.cluster / "postmaster.pid").write_text(
        f"{stranger.pid}\n{cluster.home.cluster}\n1\n5432\n{cluster.home.socket}\n\n 1 1\nready\n"
    )

    try:
        counted = cluster.is_running()
        postgres.ensure_running(data)
        started = ask(cluster, "SELECT 1")
    finally:
        stranger.kill()
        stranger.wait()

    assert not counted
    assert started == [(1,)]


def test_committed_rows_survive_a_killed_postmaster_and_the_next_start_works(data: Path) -> None:
    cluster = postgres.ensure_running(data)
    ask(cluster, "CREATE TABLE kept (n int)")
    ask(cluster, "INSERT INTO kept VALUES (42)")

    os.kill(postmaster_pid(cluster), signal.SIGKILL)
    postgres.ensure_running(data)

    assert ask(cluster, "SELECT n FROM kept") == [(42,)]


def test_data_is_durable_and_locale_independent_of_the_machine(data: Path) -> None:
    cluster = postgres.ensure_running(data)

    shown = ask(
        cluster,
        "SELECT current_setting('fsync'), current_setting('listen_addresses'), datlocale FROM pg_database LIMIT 1",
    )

    assert shown == [("on", "", "C.UTF-8")]


def test_a_path_longer_than_a_socket_allows_gets_a_short_socket_folder(data: Path) -> None:
    deep = data / ("long" * 20) / ("longer" * 10)

    cluster = postgres.ensure_running(deep)

    try:
        assert ask(cluster, "SELECT 1") == [(1,)]
        assert len(os.fsencode(cluster.home.socket)) + len(homes.SOCKET_NAME) <= homes.SOCKET_LIMIT_BYTES
    finally:
        postgres.release(cluster)
        cluster.home.socket.rmdir()


@as_root
def test_a_folder_that_only_root_may_enter_moves_the_cluster_out_and_says_so(hidden_data: Path) -> None:
    cluster = postgres.ensure_running(hidden_data)

    assert ask(cluster, "SELECT 1") == [(1,)]
    assert cluster.home.folder.parent == Path("/var/tmp")
    assert str(cluster.home.folder) in cluster.home.note


@as_root
def test_programs_out_of_reach_are_copied_once(hidden_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(homes.ServerUser, "may_enter", lambda self, path: False)

    cluster = postgres.ensure_running(hidden_data)

    command = Path(f"/proc/{postmaster_pid(cluster)}/cmdline").read_text()
    assert command.startswith(str(cluster.home.folder / "programs-"))


def test_a_cluster_of_another_major_version_is_refused_by_name(data: Path) -> None:
    cluster = postgres.ensure_running(data)
    postgres.release(cluster)
    (cluster.home.cluster / "PG_VERSION").write_text("14\n")

    with pytest.raises(LocalError, match=r"made by PostgreSQL 14, but the programs here are 18"):
        postgres.ensure_running(data)


def test_an_interrupted_initialisation_is_made_anew(data: Path) -> None:
    (data / "postgres" / "cluster.new").mkdir(parents=True)
    (data / "postgres" / "cluster.new" / "PG_VERSION").write_text("18\n")

    cluster = postgres.ensure_running(data)

    assert ask(cluster, "SELECT 1") == [(1,)]


def test_variables_of_another_postgresql_client_do_not_mislead_it(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGHOST", "/nowhere")
    monkeypatch.setenv("PGDATA", "/nowhere")

    cluster = postgres.ensure_running(data)

    assert ask(cluster, "SELECT 1") == [(1,)]


def test_a_socket_folder_that_somebody_else_linked_is_refused(data: Path) -> None:
    (data / "postgres").mkdir()
    (data / "postgres" / "socket").symlink_to("/tmp")

    with pytest.raises(LocalError, match="is a link or belongs to"):
        postgres.ensure_running(data)


def test_a_folder_without_the_programs_is_named_with_what_it_lacks(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PG_BIN", str(data))

    with pytest.raises(LocalError, match=rf"PG_BIN: {data} has no initdb, pg_ctl"):
        postgres.ensure_running(data)
    monkeypatch.delenv("PG_BIN")


def test_the_settings_read_the_local_address(data: Path) -> None:
    cluster = postgres.local_cluster(data)

    entry = database(cluster.url("some name"))

    assert (entry["HOST"], entry["PORT"], entry["NAME"], entry["USER"]) == (
        str(cluster.home.socket),
        "5432",
        "some name",
        "contextapp",
    )
