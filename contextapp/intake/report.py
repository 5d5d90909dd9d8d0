"""What an import did, as a table for people and as one JSON object. Reads rows, computes sums, writes nowhere."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from contextapp.intake.selectors import FileRow, ImportRow, QuarantinePage, QuarantineRow

_PATH_CHARS = 56


def as_json(row: ImportRow, files: Sequence[FileRow], quarantine: Iterable[QuarantineRow]) -> dict[str, Any]:
    """`lines` holds the four counts that must add up: total = produced + folded + quarantined."""
    return {
        "import": str(row.id),
        "state": row.state,
        "files": len(files),
        "failed_files": row.failed_files,
        "lines": _lines(row),
        "events": row.events_new + row.events_seen,
        "events_new": row.events_new,
        "sessions": sum(file.session_count for file in files),
        "turns": sum(file.turns for file in files),
        "steps": row.steps,
        "seconds": round(sum(file.seconds for file in files), 3),
        "quarantined": [_quarantined(line) for line in quarantine],
        "by_file": [_file(file) for file in files],
    }


def _file(file: FileRow) -> dict[str, Any]:
    return {
        "path": file.path,
        "state": file.state,
        "error": file.error,
        "format": file.format,
        "version": file.format_version,
        "sha256": file.sha256,
        "bytes": file.size_bytes,
        "lines": _lines(file),
        "events": file.events_new + file.events_seen,
        "events_new": file.events_new,
        "sessions": file.session_count,
        "turns": file.turns,
        "steps": file.steps,
        "seconds": file.seconds,
    }


def _lines(counted: ImportRow | FileRow) -> dict[str, int]:
    return {
        "total": counted.lines,
        "produced": counted.produced,
        "folded": counted.folded,
        "quarantined": counted.quarantined,
    }


def _quarantined(line: QuarantineRow) -> dict[str, Any]:
    return {
        "path": line.path,
        "line": line.line,
        "reason": line.reason,
        "field": line.field,
        "detail": line.detail,
        "sha256": line.sha256,
    }


def table(row: ImportRow, files: Sequence[FileRow], quarantine: QuarantinePage) -> Iterator[str]:
    yield from _aligned([_headings(), *map(_cells, files), _totals(row, files)])
    for file in files:
        if file.error:
            yield "✗ " + file.error
    for line in quarantine.lines:
        place = " ".join(filter(None, (line.field, line.detail)))
        yield f"⚑ {line.path}, " + _("line") + f" {line.line}: {line.reason} {place}".rstrip()
    if quarantine.next:
        yield _("… and %(more)s more quarantined lines") % {"more": quarantine.total - len(quarantine.lines)}


def _headings() -> list[str]:
    return [
        _("file"), _("format"), _("lines"), _("produced"), _("folded"), _("quarantined"), _("new"), _("seen"),
        _("sessions"), _("turns"), _("steps"), _("seconds"),
    ]  # fmt: skip


def _cells(file: FileRow) -> list[str]:
    path = file.path if len(file.path) <= _PATH_CHARS else "…" + file.path[1 - _PATH_CHARS :]
    counts = (file.lines, file.produced, file.folded, file.quarantined, file.events_new, file.events_seen)
    derived = (file.session_count, file.turns, file.steps)
    form = " ".join(filter(None, (file.format, file.format_version))) or file.state
    return [path, form, *(f"{count:,}" for count in (*counts, *derived)), f"{file.seconds:.1f}"]


def _totals(row: ImportRow, files: Sequence[FileRow]) -> list[str]:
    counts = (row.lines, row.produced, row.folded, row.quarantined, row.events_new, row.events_seen)
    derived = (sum(file.session_count for file in files), sum(file.turns for file in files), row.steps)
    named = _("%(files)s files, %(failed)s failed") % {"files": len(files), "failed": row.failed_files}
    seconds = sum(file.seconds for file in files)
    return [named, "", *(f"{count:,}" for count in (*counts, *derived)), f"{seconds:.1f}"]


def _aligned(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        texts = [cell + " " * (width - _width(cell)) for cell, width in zip(cells[:2], widths[:2], strict=True)]
        numbers = [" " * (width - _width(cell)) + cell for cell, width in zip(cells[2:], widths[2:], strict=True)]
        yield "  ".join([*texts, *numbers]).rstrip()


def _width(text: str) -> int:
    """Columns of a terminal: Han characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
