"""Lines of a byte stream in bounded memory: a line over the limit is measured and hashed, never held."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from contextapp.importers.contract import Disposition, ParsedLine, UnfitLine

BOM = b"\xef\xbb\xbf"
EXCERPT_BYTES = 4096  # masked first and cut after, so that no half of a secret is left at the cut
_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class RawLine:
    """One line without its end. `ended` is false for a last line that no newline closes; an overlong `body` is a start."""

    number: int
    body: bytes
    size_bytes: int
    ended: bool
    sha256: str = ""  # set for overlong lines only: others can be hashed when it is wanted

    @property
    def is_overlong(self) -> bool:
        return self.size_bytes > len(self.body)

    def digest(self) -> str:
        return self.sha256 or hashlib.sha256(self.body).hexdigest()


def read_lines(stream: BinaryIO, *, limit_bytes: int) -> Iterator[RawLine]:
    number = 0
    while piece := stream.readline(limit_bytes + 2):
        number += 1
        if number == 1:
            piece = piece.removeprefix(BOM)
        if piece.endswith(b"\n"):
            body = piece[:-1].removesuffix(b"\r")
            yield RawLine(number, body, len(body), ended=True)
        elif len(piece) <= limit_bytes:
            yield RawLine(number, piece, len(piece), ended=False)
        else:
            yield _skip_rest(stream, number, piece)


def _skip_rest(stream: BinaryIO, number: int, start: bytes) -> RawLine:
    digest, size, ended = hashlib.sha256(start), len(start), False
    while piece := stream.readline(_CHUNK_BYTES):
        ended = piece.endswith(b"\n")
        rest = piece[:-1].removesuffix(b"\r") if ended else piece
        digest.update(rest)
        size += len(rest)
        if ended:
            break
    return RawLine(number, start[:EXCERPT_BYTES], size, ended=ended, sha256=digest.hexdigest())


def quarantine(line: RawLine, unfit: UnfitLine) -> ParsedLine:
    return ParsedLine(
        line=line.number,
        disposition=Disposition.QUARANTINED,
        reason=unfit.reason,
        field=unfit.field,
        detail=unfit.detail,
        excerpt=line.body[:EXCERPT_BYTES].decode("utf-8", errors="replace"),
        sha256=line.digest(),
    )


def fold(number: int, reason: str) -> ParsedLine:
    return ParsedLine(line=number, disposition=Disposition.FOLDED, reason=reason)
