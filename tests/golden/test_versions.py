"""The golden requests and ledgers, byte for byte, under every Python we promise; `make golden-versions` makes
the environments."""

from __future__ import annotations

import subprocess

import pytest

from contextapp.config.local.places import PROJECT


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_golden_bytes_are_equal_under(version: str) -> None:
    python = PROJECT / f".venv-{version}" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"there is no .venv-{version}; `make golden-versions` makes it where Python {version} is installed")

    command = [str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    run = subprocess.run(
        [str(python), "-m", "tests.golden.regenerate", "--check"], cwd=PROJECT, capture_output=True, text=True
    )

    assert told == version
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
