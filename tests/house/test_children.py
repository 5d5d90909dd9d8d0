"""Supervised processes: started again after a death, given up loudly, ended with everything that they started."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from contextapp.config.local import children
from contextapp.config.local.children import Child
from contextapp.config.local.places import LocalError
from contextapp.config.local.processes import command_line


def child(folder: Path, code: str) -> Child:
    return Child("web", [sys.executable, "-c", code], os.environ, folder / "logs" / "web.log")


def wait_for(condition: object, seconds: float = 10) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def test_a_child_that_dies_is_reported_and_started_again(tmp_path: Path) -> None:
    watched = child(tmp_path, "raise SystemExit(3)")
    watched.start()
    assert watched.process is not None
    watched.process.wait()

    told = watched.watch()
    watched.start_at = 0
    watched.watch()

    assert "web ended (exit code 3); starting it again in 0.5 s" in told
    assert watched.process is not None
    watched.end()


def test_five_quick_deaths_are_given_up_with_the_end_of_the_log(tmp_path: Path) -> None:
    watched = child(tmp_path, "raise SystemExit('the port is taken')")

    with pytest.raises(LocalError, match=r"web died 5 times.*\n(.*\n)*the port is taken"):
        for _ in range(children.QUICK_DEATHS):
            watched.start()
            assert watched.process is not None
            watched.process.wait()
            watched.watch()


def test_the_wait_before_a_start_doubles(tmp_path: Path) -> None:
    watched = child(tmp_path, "raise SystemExit(1)")

    told = []
    for _ in range(3):
        watched.start()
        assert watched.process is not None
        watched.process.wait()
        told.append(watched.watch())

    assert ["0.5 s" in told[0], "1 s" in told[1], "2 s" in told[2]] == [True, True, True]


def test_ending_a_child_ends_what_it_started(tmp_path: Path) -> None:
    code = "import subprocess, sys; print(subprocess.Popen(['sleep', '60']).pid, flush=True); sys.stdin.read(); input()"
    watched = child(tmp_path, code.replace("sys.stdin.read(); input()", "import time; time.sleep(60)"))
    watched.start()
    wait_for(lambda: watched.log.read_text().strip())
    grandchild = int(watched.log.read_text())

    watched.end()

    wait_for(lambda: "sleep" not in command_line(grandchild))


def test_a_large_log_is_set_aside_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "LOG_LIMIT_BYTES", 10)
    watched = child(tmp_path, "print('new')")
    watched.log.parent.mkdir()
    watched.log.write_text("x" * 11)

    watched.start()
    assert watched.process is not None
    watched.process.wait()

    assert watched.log.read_text() == "new\n"
    assert watched.log.with_suffix(".log.1").read_text() == "x" * 11
