"""How long `make up` takes to its first page, with empty data and again, and what the environment weighs on disk."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from contextapp.config.local.places import PROJECT
from tests.benchmarks import report
from tests.benchmarks.database import FOLDER
from tests.benchmarks.report import Limit, Options, progress

LIMITS: dict[str, Limit] = {"first_page_s": ("<=", 8), "restart_s": ("<=", 4), "venv_mb": ("<=", 250)}
NOT_OURS = ("DATABASE_URL", "PORT", "HOST", "DJANGO_SETTINGS_MODULE", "CELERY_BROKER_URL")


def measure(options: Options) -> dict[str, float]:
    first, again = [], []
    for number in range(1 if options.quick else 3):
        data = FOLDER / f"startup-{number}"
        shutil.rmtree(data, ignore_errors=True)
        first.append(_until_page(data))
        again.append(_until_page(data))
        shutil.rmtree(data, ignore_errors=True)
        progress(f"startup {number + 1}: {first[-1]:.2f} s, again {again[-1]:.2f} s")
    figures = {"first_page_s": report.median(first, digits=2), "restart_s": report.median(again, digits=2)}
    weight = _environment_mb()
    if weight is not None:
        figures["venv_mb"] = weight
    return figures


def _until_page(data: Path) -> float:
    """From the command to the login page in full, as the person who typed it would count."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    started = time.monotonic()
    process = subprocess.Popen(
        ["make", "--no-print-directory", "up"],
        cwd=PROJECT,
        env={**kept, "DATA_DIR": str(data)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    said = []
    try:
        for line in process.stdout:
            said.append(line)
            if link := re.search(r"^login\s+(\S+)", line):
                with urllib.request.urlopen(link[1], timeout=20) as page:
                    page.read()
                return time.monotonic() - started
        raise RuntimeError("make up ended before its first page:\n" + "".join(said))
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate()


def _environment_mb() -> float | None:
    """A fresh environment of the runtime lock, as installed: without bytecode and without the tools of developers."""
    uv = next((found for name in ("uv", ".uv/bin/uv") if (found := shutil.which(name)) and _runs(found)), None)
    if uv is None:
        progress("venv_mb is not measured: no uv")
        return None
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "environment"
        subprocess.run([uv, "venv", "-q", "--python", sys.executable, str(place)], check=True)
        lock = str(PROJECT / "requirements.lock")
        install = [
            uv,
            "pip",
            "sync",
            "-q",
            "--link-mode",
            "copy",
            "--require-hashes",
            "--python",
            str(place / "bin/python"),
            lock,
        ]
        subprocess.run(install, check=True)
        size = sum(path.lstat().st_blocks * 512 for path in place.rglob("*") if not path.is_symlink())
    return round(size / 1_000_000, 1)


def _runs(uv: str) -> bool:
    return subprocess.run([uv, "--version"], capture_output=True).returncode == 0


def main(arguments: Sequence[str] | None = None) -> int:
    return report.run("startup", measure, LIMITS, arguments)


if __name__ == "__main__":
    sys.exit(main())
