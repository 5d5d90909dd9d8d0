"""Starts web server and worker, keeps them alive, ends them together. Holds no database connection and no Django."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from contextapp.config.local import address, login, migrated
from contextapp.config.local.children import Child
from contextapp.config.local.places import PROJECT, LocalError
from contextapp.config.local.prepare import SAMPLES_WAIT_FOR

PAGE_SECONDS = 90.0
GRACE_SECONDS = 10.0
DATABASE_CHECK_SECONDS = 5.0


@dataclass(slots=True)
class Supervisor:
    host: str
    port: int
    environment: Mapping[str, str]
    data: Path
    say: Callable[[str], None]
    keep_database: Callable[[], str]
    """Starts the database again if it died; what to tell about it."""
    stopping: int = 0
    answered: bool = False
    link: str = ""
    noted: tuple[int, ...] = ()
    children: list[Child] = field(default_factory=list)
    lines: deque[str] = field(default_factory=deque)

    @property
    def address(self) -> str:
        return address.shown(self.host, self.port)

    def run(self) -> None:
        """Until a signal asks to stop, or something can't be kept alive (raises). Leaves no process behind."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._asked_to_stop)
        preparing = self._prepare()
        try:
            if migrated.may_serve_early(self.data, self.environment["DATABASE_URL"]):
                self._start_child("web", self._web_command())
            self._supervise(preparing)
        finally:
            preparing.kill()
            preparing.wait()
            self._stop()

    def _supervise(self, preparing: subprocess.Popen[str]) -> None:
        end = time.monotonic() + PAGE_SECONDS
        database_at = time.monotonic() + DATABASE_CHECK_SECONDS
        reported = False
        while not self.stopping:
            while self.lines:
                self._heard(self.lines.popleft(), preparing)
            for child in self.children:
                if told := child.watch():
                    self.say(told)
            self._note_groups()
            if self.children and not self.answered:
                self._greet_when_ready(preparing)
            if not self.answered and time.monotonic() > end:
                raise LocalError(f"No page at {self.address} after {PAGE_SECONDS:.0f} s. See {self.data}/logs.")
            if not reported and (code := preparing.poll()):
                reported = True
                self._preparing_failed(code)
            if time.monotonic() > database_at:
                database_at = time.monotonic() + DATABASE_CHECK_SECONDS
                if told := self.keep_database():
                    self.say(told)
            time.sleep(0.25 if self.answered else 0.04)

    def _prepare(self) -> subprocess.Popen[str]:
        log = self.data / "logs" / "prepare.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", "contextapp.config.local.prepare"],
                cwd=PROJECT,
                env=dict(self.environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        assert process.stdout is not None
        threading.Thread(target=self.lines.extend, args=(iter(process.stdout),), daemon=True).start()
        return process

    def _heard(self, line: str, preparing: subprocess.Popen[str]) -> None:
        word, _, text = line.rstrip("\n").partition("\t")
        if word == "migrated":
            self.say(f"migrations  {text} applied" if text != "0" else "migrations  up to date")
            migrated.remember(self.data, self.environment["DATABASE_URL"])
            if not self.children:
                self._start_child("web", self._web_command())
        elif word == "login":
            self.link = login.absolute(text, self.address)
        elif word == "samples":
            self.say(f"samples     {text}")

    def _greet_when_ready(self, preparing: subprocess.Popen[str]) -> None:
        if not self.link or not _answers(f"{self.address}/login/"):
            return
        self.answered = True
        self.say(f"address     {self.address}")
        self.say(f"login       {self.link} (works once; `make login` prints another)")
        self._start_child("worker", self._worker_command())
        assert preparing.stdin is not None
        preparing.stdin.write(SAMPLES_WAIT_FOR + "\n")
        preparing.stdin.flush()

    def _preparing_failed(self, code: int) -> None:
        log = self.data / "logs" / "prepare.log"
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-12:])
        message = f"Preparing the database failed (exit code {code}). The end of {log}:\n{tail}"
        if not self.answered:
            raise LocalError(message)
        self.say(f"samples     not loaded. {message}")

    def _start_child(self, name: str, command: list[str]) -> None:
        child = Child(name, command, self.environment, self.data / "logs" / f"{name}.log")
        child.start()
        self.children.append(child)

    def _note_groups(self) -> None:
        """For `make login`, and for the next start should this process be killed."""
        groups = tuple(child.process.pid for child in self.children if child.process is not None)
        if groups != self.noted:
            address.write(address.Running(os.getpid(), self.address, groups))
            self.noted = groups

    def _web_command(self) -> list[str]:
        options = ["--interface", "wsgi", "--host", self.host, "--port", str(self.port), "--no-ws"]
        threads = [
            "--workers",
            "1",
            "--blocking-threads",
            "8",
            "--respawn-failed-workers",
            "--workers-kill-timeout",
            "5",
        ]
        return [sys.executable, "-m", "granian", *options, *threads, "contextapp.config.wsgi:application"]

    def _worker_command(self) -> list[str]:
        beat = ["--beat", "--schedule", str(self.data / "beat-schedule")]
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"]
        worker = ["-A", "contextapp.config.celery", "worker", "--concurrency", "2"]
        return [sys.executable, "-m", "celery", *worker, *beat, *quiet]

    def _asked_to_stop(self, number: int, frame: object) -> None:
        self.stopping += 1

    def _stop(self) -> None:
        """All are asked at once; a second Ctrl-C, or the end of the grace, ends them by force."""
        with suppress(OSError):  # after a hang-up there is no terminal to say it to
            self.say("Stopping: the worker finishes what it has in hand. Ctrl-C again ends it at once.")
        for child in self.children:
            child.ask_to_stop()
        until = time.monotonic() + GRACE_SECONDS
        while self.stopping < 2 and time.monotonic() < until and any(child.is_alive() for child in self.children):
            time.sleep(0.05)
        for child in self.children:
            child.end()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status < 500)
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False
