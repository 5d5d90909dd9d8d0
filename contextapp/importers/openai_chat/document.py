"""One JSON document, or lines of JSON: told apart by content, since names lie. A document is held whole, up to its limit."""

from __future__ import annotations

from typing import Any

from contextapp.importers.contract import Source, UnfitFile, UnfitLine
from contextapp.importers.decoding import decode_text, decode_values, kind_of
from contextapp.importers.lines import BOM, read_lines

_LOOK_AT_LINES = 5


def is_document(source: Source) -> bool:
    """False when one of the first lines is a whole value and more lines follow. Leaves the stream at its start."""
    whole = seen = 0
    for line in read_lines(source.stream, limit_bytes=source.line_limit_bytes):
        if not line.body.strip():
            continue
        seen += 1
        whole += _is_whole(line.body) and not line.is_overlong
        if seen > _LOOK_AT_LINES:
            break
    source.stream.seek(0)
    if source.name.lower().endswith(".jsonl"):
        return False
    return whole == 0 or seen == 1


def _is_whole(body: bytes) -> bool:
    """A line that is an object or an array by itself; the lines of an indented document are not."""
    try:
        values = decode_values(decode_text(body))
    except UnfitLine:
        return False
    return bool(values) and all(isinstance(value, dict | list) and value for value in values)


def load_document(source: Source) -> Any:
    body = source.stream.read(source.document_limit_bytes + 1)
    if len(body) > source.document_limit_bytes:
        limit = f"{source.document_limit_bytes:,} bytes"
        raise UnfitFile(
            f"{source.name}: a JSON document over {limit}; write it as JSON lines, one conversation a line."
        )
    try:
        values = decode_values(decode_text(body.removeprefix(BOM)))
    except UnfitLine as unfit:
        raise UnfitFile(f"{source.name}: not a readable JSON document ({unfit}).") from unfit
    if len(values) != 1 or not isinstance(values[0], dict | list):
        found = kind_of(values[0]) if len(values) == 1 else f"{len(values)} values"
        raise UnfitFile(f"{source.name}: expected an array or an object of messages, found {found}.")
    return values[0]
