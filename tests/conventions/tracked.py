"""The files of the project as git sees them: tracked, or new and not ignored. Never looks into data/ or .venv/."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from contextapp.config.local.places import PROJECT

LEFT_OUT = {".git", ".venv", ".uv", "data", "node_modules", "__pycache__"}


@cache
def files() -> tuple[Path, ...]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout.split("\0")
        found = [PROJECT / name for name in listed if name]
    except (FileNotFoundError, subprocess.CalledProcessError):  # an unpacked archive has no git
        found = [path for path in PROJECT.rglob("*") if not LEFT_OUT & set(path.relative_to(PROJECT).parts)]
    return tuple(sorted(path for path in found if path.is_file()))


def with_suffix(*suffixes: str) -> tuple[Path, ...]:
    return tuple(path for path in files() if path.suffix in suffixes)


def name(path: Path) -> str:
    return str(path.relative_to(PROJECT))


def sources(*parts: str) -> tuple[Path, ...]:
    """Python files below one of the folders."""
    return tuple(path for path in with_suffix(".py") if name(path).startswith(parts))
