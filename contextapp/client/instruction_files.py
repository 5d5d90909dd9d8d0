"""Reads one instruction file below a root, whatever stands at its path: text, or the reason why there is none.

Follows links only to what lies below the root, opens nothing but regular files and never waits for a pipe.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from dataclasses import dataclass, replace
from pathlib import Path

FILE_BYTES = 256 * 1024  # the server keeps a longer text as an attachment, where no rule of it is found
WARNINGS = frozenset(
    {
        "invalid_utf8", "outside_root", "unreadable", "broken_link", "link_loop", "pointer", "not_a_file", "too_large",
        "same_file",
    }
)  # fmt: skip
_POINTER_CHARS = 300
_POINTS = re.compile(
    r"(?:@|(?:please\s+)?(?:see|read|follow|use|refer\s+to)\s*:?\s+(?:the\s+file\s+)?|(?:请)?(?:参见|参阅|参考|阅读|见)\s*[:：]?\s*)?"
    r"(?:\[[^\]]*\]\((?P<linked>[^()\s]+)\)|[`\"'<]?(?P<plain>[^\s`\"'<>()]+?)[`\"'>]?)[.。]?",
    re.I,
)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Reading:
    """`identity`: the same for one file under all its names. `sha256`: of its bytes; empty where they were not read."""

    identity: str
    real_path: str
    text: str = ""
    sha256: str = ""
    warning: str = ""

    def without_text(self, warning: str) -> Reading:
        return replace(self, text="", warning=warning)


class Reader:
    """Reads below one root, which is given with all links followed."""

    def __init__(self, real_root: str, most_bytes: int = FILE_BYTES) -> None:
        self._root = real_root
        self._most_bytes = most_bytes

    def read(self, path: str) -> Reading | None:
        """None where nothing has that name."""
        return self._read(path, self._root)

    def read_anywhere(self, path: str) -> Reading | None:
        """The same for a file that the user named, wherever it lies."""
        return self._read(path, os.sep)

    def target_of(self, path: str, text: str) -> str | None:
        """The file that a text of one line points to, if that is all it does."""
        line = text.strip()
        found = _POINTS.fullmatch(line) if len(line) <= _POINTER_CHARS and "\n" not in line else None
        if found is None:
            return None
        named = found["linked"] or found["plain"]
        is_path = "." in os.path.basename(named) and "://" not in named and "\0" not in named
        return os.path.normpath(os.path.join(os.path.dirname(path), named)) if is_path else None

    def _read(self, path: str, root: str) -> Reading | None:
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError):
            return Reading(path, path, warning="unreadable")
        try:
            real_path = os.path.realpath(path, strict=True)
        except OSError as error:
            return Reading(path, path, warning=_warning_of(error))
        relative = os.path.relpath(real_path, root)
        if relative == ".." or relative.startswith("../"):
            return Reading(path, real_path, warning="outside_root")
        try:
            return self._opened(real_path, Path(relative).parts, root)
        except OSError as error:
            return Reading(real_path, real_path, warning=_warning_of(error))

    def _opened(self, real_path: str, parts: tuple[str, ...], root: str) -> Reading:
        """Opens each part by its own name: a link that was put there since the path was resolved is refused, not followed."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        folder = os.open(root, flags | os.O_DIRECTORY)
        try:
            for part in parts[:-1]:
                inner = os.open(part, flags | os.O_DIRECTORY, dir_fd=folder)
                os.close(folder)
                folder = inner
            name = parts[-1] if parts else "."
            if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                return Reading(real_path, real_path, warning="not_a_file")
            opened = os.open(name, flags | os.O_NONBLOCK, dir_fd=folder)
        finally:
            os.close(folder)
        with os.fdopen(opened, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return Reading(real_path, real_path, warning="not_a_file")
            return self._decoded(f"{status.st_dev}:{status.st_ino}", real_path, file.read(self._most_bytes + 1))

    def _decoded(self, identity: str, real_path: str, body: bytes) -> Reading:
        if len(body) > self._most_bytes:
            return Reading(identity, real_path, warning="too_large")
        encoding = "utf-16" if body.startswith(_UTF16) else "utf-8-sig"
        digest = hashlib.sha256(body).hexdigest()
        warning = ""
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError:
            text, warning = body.decode(encoding, "replace"), "invalid_utf8"
        if len(text.encode()) > self._most_bytes:  # each byte replaced takes three
            return Reading(identity, real_path, sha256=digest, warning="too_large")
        return Reading(identity, real_path, text.replace("\r\n", "\n").replace("\r", "\n"), digest, warning)


def _warning_of(error: OSError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "broken_link"
    return "link_loop" if error.errno == errno.ELOOP else "unreadable"
