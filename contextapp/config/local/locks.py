"""File locks between processes of one machine. The kernel frees them when a process dies; nothing is ever left over."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contextapp.config.local.places import LocalError

try:
    import fcntl
except ImportError as error:  # Windows
    raise LocalError(
        "The local launcher needs Linux or macOS. On Windows set DATABASE_URL to a PostgreSQL server, or use WSL."
    ) from error


def open_lock(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except PermissionError as error:
        raise LocalError(
            f"{path} belongs to another user (uid {path.stat().st_uid}). Run as that user, or set DATA_DIR."
        ) from error


def try_exclusive(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def share(descriptor: int) -> None:
    fcntl.flock(descriptor, fcntl.LOCK_SH)


@contextmanager
def exclusive(path: Path, *, wait_seconds: float = 120) -> Iterator[None]:
    """Hold the lock for the block; a holder that never lets go is an error that names the file."""
    descriptor = open_lock(path)
    try:
        end = time.monotonic() + wait_seconds
        while not try_exclusive(descriptor):
            if time.monotonic() > end:
                raise LocalError(f"Another process has held {path} for {wait_seconds:.0f} s; look for it with `lsof`.")
            time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)
