"""The bytes of a file of an import, from disk or from an upload, as they are now: what is added while we read is not seen."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

from contextapp.importers.contract import UnfitFile
from contextapp.intake.models import Import, ImportFile

_OPENING_BYTES = 64 * 1024


@contextmanager
def open_source(batch: Import, file: ImportFile) -> Iterator[tuple[BinaryIO, str]]:
    """A stream that can be rewound, and the name that identifies it."""
    upload = batch.uploads.order_by("id")[file.position : file.position + 1].first()
    if upload is not None:
        body = bytes(upload.body)
        # Uploads have no folder: two files of one name are told apart by how they begin, and a longer one still matches.
        opening = sha256(body[:_OPENING_BYTES]).hexdigest()[:12]
        yield io.BytesIO(body), f"upload:{opening}/{upload.name}"
        return
    if not Path(file.path).is_absolute():
        raise UnfitFile(f"{file.path}: the uploaded bytes are gone; choose the file again.")
    if Path(file.path).is_dir():
        os.listdir(file.path)  # says why a folder could not be walked
        raise UnfitFile(f"{file.path}: a folder that could not be walked; name the files in it.")
    with Path(file.path).open("rb") as stream:
        size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        yield cast(BinaryIO, _Bounded(stream, size)), file.path


class _Bounded(io.RawIOBase):
    """The first `size` bytes of a file that another program may be appending to."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream, self._size = stream, size

    def read(self, size: int | None = -1, /) -> bytes:
        return self._stream.read(self._most(size))

    def readline(self, size: int | None = -1, /) -> bytes:
        return self._stream.readline(self._most(size))

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def _most(self, size: int | None) -> int:
        left = max(self._size - self._stream.tell(), 0)
        return left if size is None or size < 0 else min(size, left)
