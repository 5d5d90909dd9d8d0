"""Data folders for real clusters. Not tmp_path: pytest makes that 0700, which root's unprivileged user can't enter."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from contextapp.config.local import postgres
from contextapp.config.local.places import PROJECT


@pytest.fixture
def data() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="house-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    _remove(folder)


@pytest.fixture
def hidden_data() -> Iterator[Path]:
    """A folder that only its owner may enter, as /root is."""
    folder = Path(tempfile.mkdtemp(prefix="house-", dir="/tmp"))
    yield folder / "data"
    _remove(folder / "data")
    shutil.rmtree(folder)


@pytest.fixture
def other_process() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Starts a process that joins the cluster, says its postmaster's pid, and stays until its input is closed."""
    started: list[subprocess.Popen[str]] = []

    def start(data: Path) -> subprocess.Popen[str]:
        code = (
            "import sys, pathlib; from contextapp.config.local import postgres;"
            "cluster = postgres.ensure_running(pathlib.Path(sys.argv[1])); postgres.create_database(cluster);"
            "print((cluster.home.cluster / 'postmaster.pid').read_text().split()[0], flush=True); sys.stdin.read()"
        )
        command = [sys.executable, "-c", code, str(data)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def postmaster_pid(cluster: postgres.Cluster) -> int:
    return int((cluster.home.cluster / "postmaster.pid").read_text().split()[0])


def ask(cluster: postgres.Cluster, query: str) -> object:
    with psycopg.connect(cluster.url("postgres"), autocommit=True) as connection:
        cursor = connection.execute(query)
        return cursor.fetchall() if cursor.description else None


def _remove(data: Path) -> None:
    cluster = postgres.local_cluster(data)
    postgres.release(cluster)
    cluster.stop()
    for folder in {cluster.home.socket, cluster.home.folder, data}:
        shutil.rmtree(folder, ignore_errors=True)
