"""The spool's file: one record a line, with its checksum, only ever appended and flushed to the disk before anybody is told.
Never read while it is written; a second process is turned away."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

from contextapp.client.errors import Json, SpoolDamaged, SpoolInUse, SpoolNotWritten


class Journal:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.recovered: list[Json] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)  # it holds transcripts
        try:
            self._lock()
            self.recovered = self._recover()
        except BaseException:
            os.close(self._file)
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SpoolInUse(
                f"{self.path} is written by another client; give each process a spool of its own"
            ) from error

    def _recover(self) -> list[Json]:
        """Whole lines. A last line that breaks off was never acknowledged to its writer and is cut away."""
        with open(self.path, "rb") as stream:
            body = stream.read()
        whole, _, rest = body.rpartition(b"\n")
        if rest:
            os.ftruncate(self._file, len(body) - len(rest))
        return [self._decode(number, line) for number, line in enumerate(whole.split(b"\n"), 1) if line]

    def _decode(self, number: int, line: bytes) -> Json:
        checksum, _, body = line.partition(b" ")
        if checksum != _checksum(body):
            raise SpoolDamaged(
                f"{self.path}, line {number}: the checksum does not fit; move the file away to go on without it"
            )
        found: Json = json.loads(body)
        return found

    def write(self, record: Json) -> None:
        """On the disk when this returns, or not in the file at all."""
        size = os.fstat(self._file).st_size
        try:
            _write_all(self._file, _line(record))
            os.fsync(self._file)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, size)
            raise SpoolNotWritten(f"{self.path} could not be written: {error.strerror}") from error

    def rewrite(self, records: Iterable[Json]) -> None:
        """What is left, in a new file that takes the old one's place in one step."""
        beside = self.path.with_name(self.path.name + ".new")
        made = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            _write_all(made, b"".join(_line(record) for record in records))
            os.fsync(made)
            fcntl.flock(made, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.replace(beside, self.path)
        except OSError as error:
            os.close(made)
            raise SpoolNotWritten(f"{beside} could not be written: {error.strerror}") from error
        os.close(self._file)
        self._file = made

    @property
    def size_bytes(self) -> int:
        return os.fstat(self._file).st_size

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _line(record: Json) -> bytes:
    body = json.dumps(record, separators=(",", ":")).encode("ascii")
    return _checksum(body) + b" " + body + b"\n"


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)


def _write_all(file: int, body: bytes) -> None:
    view = memoryview(body)
    while view:
        view = view[os.write(file, view) :]
