"""Finds the instruction files that concern a piece of work and gives them as payloads of `instructions.loaded`.

Reads below one root only, whatever links say, and changes nothing. A file that can't be read is a payload with a `warning` and
no text, never an error: the others still count. Needs a POSIX system.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from contextapp.client.instruction_files import FILE_BYTES, Reader, Reading

NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")  # of every directory, in this order
ROOT_NAMES = (*NAMES, "README.md")
POINTERS_DEEP = 5

Payload = dict[str, Any]  # a JSON object


def discover_instructions(
    root: str | Path,
    cwd: str | Path | None = None,
    changed_files: Sequence[str | Path] = (),
    *,
    user_file: str | Path | None = None,
    most_bytes: int = FILE_BYTES,
) -> list[Payload]:
    """Payloads weakest level first: the user's own file, the root, then each directory down to `cwd` and to each changed file.

    All names found are given. Paths begin as `root` is spelled, so give it as the agent does. One file is given once: met again
    through a link or another spelling, it is a payload with the warning `same_file`. ValueError for a root or cwd that is none.
    """
    top = Path(os.path.abspath(root))
    real_root = os.path.realpath(top)
    if not os.path.isdir(real_root):
        raise ValueError(f"root {str(root)!r} is not a directory; give the folder that the agent works in")
    if cwd is not None and _below(real_root, _absolute(top, cwd)) is None:
        raise ValueError(f"working directory {str(cwd)!r} is not below the root {str(root)!r}; give a folder inside it")
    search = _Search(top, Reader(real_root, most_bytes))
    payloads = search.user_file(Path(user_file)) if user_file is not None else []
    for folder in _folders(top, real_root, cwd, changed_files):
        names = ROOT_NAMES if folder == "." else NAMES
        payloads += [payload for name in names for payload in search.file(folder, name)]
    return payloads


def _folders(top: Path, real_root: str, cwd: str | Path | None, changed_files: Sequence[str | Path]) -> list[str]:
    """Every directory on the way, relative to the root, the root first. Changed files outside the root concern nobody here."""
    ends = [_absolute(top, cwd)] if cwd is not None else []
    ends += [os.path.dirname(_absolute(top, file)) for file in changed_files]
    found = {"."}
    for end in ends:
        relative = _below(real_root, end)
        while relative and relative not in found:
            found.add(relative)
            relative = os.path.dirname(relative) or "."
    return sorted(found, key=lambda folder: (folder != ".", folder.count(os.sep), folder))


def _absolute(top: Path, path: str | Path) -> str:
    return os.path.join(top, path)


def _below(real_root: str, path: str) -> str | None:
    """The path from the root with all links followed; None for one that leads out of it."""
    try:
        relative = os.path.relpath(os.path.realpath(path), real_root)
    except (ValueError, OSError):  # a NUL in it, another drive
        return None
    return None if relative == ".." or relative.startswith("../") else relative


class _Search:
    """One run: remembers which files were given, so that each is given once."""

    def __init__(self, top: Path, reader: Reader) -> None:
        self._top = top
        self._reader = reader
        self._given: set[str] = set()  # identities whose text stands in a payload
        self._named: set[str] = set()  # ids of payloads

    def user_file(self, path: Path) -> list[Payload]:
        reading = self._reader.read_anywhere(os.path.abspath(path))
        return [self._payload("global", str(path), "", reading)] if reading else []

    def file(self, folder: str, name: str) -> Iterator[Payload]:
        """The payload of that name in that folder, if there is one; behind a pointer also the file it points to."""
        path = str(self._top / folder / name)
        reading = self._reader.read(path)
        level, scope = ("project" if folder == "." else "directory"), os.path.dirname(path)
        if reading is None or _id(level, path) in self._named:
            return
        passed = {reading.identity}
        while target := self._reader.target_of(path, reading.text):
            pointed = self._reader.read(target)
            if pointed is None:
                break  # a line that looks like a path and is none
            refused = self._refused(pointed, passed)
            yield self._payload(level, path, scope, reading.without_text(refused or "pointer"), points_to=target)
            if refused or pointed.identity in self._given or _id(level, target) in self._named:
                return
            passed.add(pointed.identity)
            path, reading = target, pointed
        yield self._payload(level, path, scope, reading)

    def _refused(self, pointed: Reading, passed: set[str]) -> str:
        """Why a pointer is not followed; empty where it is."""
        if pointed.warning == "outside_root":
            return pointed.warning
        return "link_loop" if pointed.identity in passed or len(passed) >= POINTERS_DEEP else ""

    def _payload(self, level: str, path: str, scope: str, reading: Reading, **more: str) -> Payload:
        if reading.text and reading.identity in self._given:
            reading = reading.without_text("same_file")
        elif reading.text:
            self._given.add(reading.identity)
        self._named.add(_id(level, path))
        return {
            "id": _id(level, path),
            "level": level,
            "name": os.path.basename(path),
            "path": path,
            "real_path": reading.real_path,
            "sha256": reading.sha256,
            "scope": scope,
            "text": reading.text,
            "warning": reading.warning,
            **more,
        }


def _id(level: str, path: str) -> str:
    return f"{level}:{path}"
