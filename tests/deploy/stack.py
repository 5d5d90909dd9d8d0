"""The product's processes as a deployment runs them, on private ports, each ended by its own pid. Serves one test at a time."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from contextapp.config.local.places import PROJECT

Process = subprocess.Popen[bytes]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(is_true: Callable[[], bool], what: str, seconds: float = 40) -> None:
    end = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > end:
            pytest.fail(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.1)


@contextmanager
def started(command: list[str], environment: Mapping[str, str], log: Path) -> Iterator[Process]:
    """A process group of its own: asked to end, then made to."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, cwd=PROJECT, env=dict(environment), stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield process
    finally:
        end(process, signal.SIGTERM)


def end(process: Process, number: signal.Signals) -> None:
    """The whole group; afterwards none of it lives."""
    if process.poll() is None:
        os.killpg(process.pid, number)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@dataclass(slots=True)
class Redis:
    folder: Path
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @contextmanager
    def running(self) -> Iterator[Process]:
        """As the composition runs it: nothing on the disk, so that an end forgets every wake-up."""
        program = shutil.which("redis-server")
        if program is None:
            message = "redis-server is not installed; `apt-get install redis-server`."
            (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
        options = [
            "--bind",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--dir",
            str(self.folder),
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        with started([str(program), *options], os.environ, self.folder / "redis.log") as process:
            wait_until(self.answers, "redis")
            yield process

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


@dataclass(slots=True)
class Stack:
    """Web server, worker and beat with one environment, and what they logged."""

    environment: Mapping[str, str]
    folder: Path
    port: int = field(default_factory=free_port)
    stack: ExitStack = field(default_factory=ExitStack)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def web(self) -> Process:
        options = ["--interface", "wsgi", "--host", "127.0.0.1", "--port", str(self.port), "--no-ws", "--workers", "1"]
        command = ["-m", "granian", *options, "--blocking-threads", "4", "contextapp.config.wsgi:application"]
        process = self._start("web", command)
        wait_until(lambda: self._is_ready(process), f"the web server, see {self.folder}/web.log")
        return process

    def worker(self, application: str = "contextapp.config.celery") -> Process:
        options = ["--concurrency", "1", "--loglevel", "INFO", "--without-gossip", "--without-mingle"]
        return self._start("worker", ["-m", "celery", "-A", application, "worker", *options])

    def beat(self) -> Process:
        schedule = ["--schedule", str(self.folder / "beat-schedule")]
        return self._start(
            "beat", ["-m", "celery", "-A", "contextapp.config.beat", "beat", "--loglevel", "INFO", *schedule]
        )

    def run(self, *command: str, **more: str) -> str:
        """A command of the product to its end; what it printed."""
        environment = {**self.environment, **more}
        done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def manage(self, *command: str, **more: str) -> str:
        return self.run(sys.executable, "manage.py", *command, **more)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def _start(self, name: str, command: list[str]) -> Process:
        log = self.folder / f"{name}.log"
        return self.stack.enter_context(started([sys.executable, *command], self.environment, log))

    def _is_ready(self, process: Process) -> bool:
        assert process.poll() is None, self.log("web")
        try:
            return httpx.get(f"{self.url}/readyz", timeout=5, trust_env=False).status_code == 200
        except httpx.TransportError:
            return False
