"""Finds the transcripts that paths name: files as they are, folders and patterns by suffix. Reads no content, opens nothing."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.utils.translation import gettext as _

from contextapp.intake.errors import BadSelection, NothingToImport

DEFAULT_FOLDERS = ("~/.claude/projects", "~/.codex/sessions")
_SUFFIXES = frozenset({".jsonl", ".ndjson", ".json", ".traj"})
_AIDER = ".aider.chat.history.md"
_SPAN = re.compile(r"(\d{1,6})\s*([mhdw])")
_EVENT_FILE = re.compile(r"event[-_]\d|\d+\.json$")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class Found:
    """One file to import. `parent` is the transcript whose sub-agent it is, so that it is taken along and comes after it."""

    path: str
    modified: float = 0.0
    size_bytes: int = 0
    parent: str = ""
    was_named: bool = False  # by its full name, so that its age does not leave it out


def discover(paths: Sequence[str], *, since: str | None, last: int | None, now: datetime) -> list[Found]:
    """Newest first, each sub-agent after its parent. What was named is among them even if it is not there."""
    youngest = moment_of(since, now).timestamp() if since else 0.0
    if last is not None and last < 1:
        text = _("%(last)s is not a number of files: give how many of the newest you want, at least 1.")
        raise BadSelection(text % {"last": last})
    named = list(paths) or list(DEFAULT_FOLDERS)
    found: dict[str, Found] = {}
    for path in named:
        for file in _expand(path, must_be_folder=not paths):
            found.setdefault(file.path, file)
    if not found:
        raise NothingToImport(_nothing(named))
    chosen = _choose(list(found.values()), youngest, last)
    if not chosen:
        text = _("None of %(files)s files was changed since %(since)s; choose an earlier time.")
        raise NothingToImport(text % {"files": len(found), "since": since})
    return chosen


def moment_of(since: str, now: datetime) -> datetime:
    """`7d`, `24h`, `30m`, `2w`, or a date or time in ISO form."""
    if span := _SPAN.fullmatch(since.strip()):
        return now - timedelta(**{_UNITS[span[2]]: int(span[1])})
    try:
        parsed = datetime.fromisoformat(since.strip())
    except ValueError as error:
        text = _("“%(since)s” is neither a span such as 7d or 24h nor a date such as 2026-01-31.")
        raise BadSelection(text % {"since": since}) from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _expand(path: str, *, must_be_folder: bool) -> Iterator[Found]:
    place = Path(os.path.expanduser(path))
    if place.is_dir() or must_be_folder:
        yield from _walk(place)  # of a folder that is not there: nothing
    elif place.exists() or not glob.has_magic(str(place)):
        yield _found(place, was_named=True)
    else:
        for match in sorted(glob.glob(str(place), recursive=True)):
            inner = Path(match)
            if inner.is_dir():
                yield from _walk(inner)
            elif inner.suffix in _SUFFIXES or inner.name == _AIDER:
                yield _found(inner)


def _walk(folder: Path) -> Iterator[Found]:
    unreadable: list[OSError] = []
    for root, folders, names in os.walk(folder, onerror=unreadable.append):
        folders.sort()
        for name in sorted(names):
            file = Path(root, name)
            if (file.suffix in _SUFFIXES or name == _AIDER) and not _is_journal(file):
                yield _found(file)
    for error in unreadable:
        if os.path.lexists(str(error.filename)):
            yield _found(Path(str(error.filename)))  # reading it will say why it can't be read


def _is_journal(file: Path) -> bool:
    """The bookkeeping of a workflow beside its sub-agents; it holds no conversation."""
    return file.name == "journal.jsonl" and "subagents" in file.parts


def _found(place: Path, *, was_named: bool = False) -> Found:
    path = os.path.abspath(place)
    try:
        status = os.stat(path)
    except OSError:
        return Found(path, was_named=was_named)  # reading it will say why it can't be read
    return Found(path, status.st_mtime, status.st_size, _parent_of(Path(path)), was_named)


def _parent_of(file: Path) -> str:
    """The transcript that a sub-agent's belongs to; of a conversation with a file for each event, the file of its state."""
    parts = file.parts[:-1]
    if parts and parts[-1] == "events" and _EVENT_FILE.match(file.name):
        return str(file.parent.parent / "base_state.json")
    if "subagents" not in parts:
        return ""
    place = len(parts) - 1 - parts[::-1].index("subagents")
    return str(Path(*parts[:place])) + ".jsonl" if place else ""


def _choose(files: list[Found], youngest: float, last: int | None) -> list[Found]:
    """Age and number are judged by whole sessions: a sub-agent follows its parent, and is a session of its own without one."""
    present = {file.path for file in files}
    children: dict[str, list[Found]] = {}
    heads = []
    for file in files:
        if file.parent in present:
            children.setdefault(file.parent, []).append(file)
        else:
            heads.append(file)
    heads = [file for file in heads if file.was_named or file.modified >= youngest]
    heads.sort(key=lambda file: (-file.modified, file.path))
    chosen = []
    for file in heads[: last or len(heads)]:
        chosen += [file, *sorted(children.get(file.path, []), key=_by_number)]
    return chosen


def _by_number(file: Found) -> list[tuple[int, str]]:
    """Numbers in a name by their size: the tenth event comes after the second."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d{1,12})", file.path)]


def _nothing(named: list[str]) -> str:
    text = _(
        "There is no transcript (.jsonl, .ndjson, .json or .traj) at %(places)s; name files or folders that hold some."
    )
    return text % {"places": ", ".join(named)}
