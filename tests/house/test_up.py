"""`make up` for real: web server, worker and database of one data folder, from the first line to the last."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from contextapp.config.local import postgres
from contextapp.config.local.places import PROJECT
from contextapp.config.local.processes import command_line

Start = Callable[[], "subprocess.Popen[str]"]
LEFT_OUT = ("DATABASE_URL", "PORT", "HOST", "CELERY_BROKER_URL")


@pytest.fixture
def environment(data: Path) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in LEFT_OUT} | {"DATA_DIR": str(data)}


@pytest.fixture
def up(environment: dict[str, str], data: Path) -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "contextapp.config.local.up"],
            cwd=PROJECT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=30)


def read_until(process: subprocess.Popen[str], word: str) -> str:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if line.startswith(word):
            return line.split()[1]
    raise AssertionError(f"no line {word!r} in:\n{''.join(said)}")


def groups(data: Path) -> list[int]:
    return [int(group) for group in json.loads((data / "up.json").read_text())["groups"]]


def members(group: int) -> list[int]:
    shown = subprocess.run(["ps", "-A", "-o", "pgid=,pid=,stat="], capture_output=True, text=True).stdout
    rows = [line.split() for line in shown.splitlines()]
    return [int(pid) for pgid, pid, state in rows if int(pgid) == group and not state.startswith("Z")]


def wait_until(condition: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


def answers(link: str) -> bool:
    try:
        with urllib.request.urlopen(f"{link}/login/", timeout=5) as page:
            return bool(page.status == 200)
    except OSError:
        return False


def test_one_command_serves_a_page_and_ctrl_c_leaves_nothing_behind(
    up: Start, environment: dict[str, str], data: Path
) -> None:
    running = up()
    address = read_until(running, "address")
    link = read_until(running, "login")
    wait_until(lambda: len(groups(data)) == 2)
    children = groups(data)

    served = answers(address)
    second, _ = up().communicate(timeout=20)
    running.send_signal(signal.SIGINT)
    rest, _ = running.communicate(timeout=30)

    assert served
    assert link.startswith(f"{address}/login/")
    assert second == f"Already running: {address} (process {running.pid}).\n"
    assert (running.returncode, rest.splitlines()[-1]) == (0, "Stopped.")
    assert [members(group) for group in children] == [[], []]
    assert not postgres.local_cluster(data).has_postmaster()
    assert not (data / "up.json").exists()


def test_a_web_server_and_a_database_that_die_are_started_again(up: Start, data: Path) -> None:
    running = up()
    address = read_until(running, "address")
    web = groups(data)[0]
    postmaster = int((data / "postgres" / "cluster" / "postmaster.pid").read_text().split()[0])

    os.killpg(web, signal.SIGKILL)
    wait_until(lambda: not members(web))
    wait_until(lambda: answers(address))
    os.kill(postmaster, signal.SIGKILL)

    wait_until(postgres.local_cluster(data).is_running, 30)


def test_what_a_killed_supervisor_left_is_ended_by_the_next_start_and_the_data_is_kept(up: Start, data: Path) -> None:
    killed = up()
    read_until(killed, "login")
    wait_until(lambda: len(groups(data)) == 2)
    left = groups(data)
    made = (data / "postgres" / "cluster" / "PG_VERSION").stat().st_ino

    killed.kill()
    killed.wait()
    address = read_until(up(), "address")

    assert answers(address)
    assert [command_line(group) for group in left] == [[], []]
    assert (data / "postgres" / "cluster" / "PG_VERSION").stat().st_ino == made
