"""One child process in a process group of its own: start, watch, start again, stop whole. Knows nothing of what it runs."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contextapp.config.local.places import PROJECT, LocalError

QUICK_SECONDS = 10.0
QUICK_DEATHS = 5
LOG_LIMIT_BYTES = 10_000_000


@dataclass(slots=True)
class Child:
    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    quick_deaths: int = 0
    started_at: float = 0.0
    start_at: float = 0.0

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                cwd=PROJECT,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches us alone; we decide the order of the end
            )
        self.started_at = time.monotonic()

    def watch(self) -> str:
        """Start it again if it died; what to tell the person, empty if all is well. Too many quick deaths raise."""
        now = time.monotonic()
        if self.process is None:
            if now >= self.start_at:
                self.start()
            return ""
        code = self.process.poll()
        if code is None:
            return ""
        kill_group(self.process.pid)  # what it left behind would hold its port or its tasks
        self.process = None
        self.quick_deaths = self.quick_deaths + 1 if now - self.started_at < QUICK_SECONDS else 1
        if self.quick_deaths >= QUICK_DEATHS:
            raise LocalError(
                f"{self.name} died {QUICK_DEATHS} times at once ({_ending(code)}). The end of {self.log}:\n{self.tail()}"
            )
        delay = 2.0 ** (self.quick_deaths - 1) / 2
        self.start_at = now + delay
        return f"{self.name} ended ({_ending(code)}); starting it again in {delay:g} s. Its log: {self.log}"

    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ask_to_stop(self) -> None:
        if self.process is not None and self.is_alive():
            self.process.terminate()

    def end(self) -> None:
        """The whole group, by force: no grandchild outlives the supervisor."""
        if self.process is not None:
            kill_group(self.process.pid)
            self.process.wait()
            self.process = None

    def tail(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-12:])


def kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # gone already; macOS says "not permitted" for a group of zombies


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
