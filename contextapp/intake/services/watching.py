"""Which transcripts of a folder changed since they were last imported. Compares size and time only; opens no file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from contextapp.intake.errors import NothingToImport
from contextapp.intake.services.discovering import Found, discover

MOST_FILES_AT_ONCE = 200
MOST_LOOKS = 10

Mark = tuple[int, float]


@dataclass(slots=True)
class Watch:
    """A changed file is due once it was still between two looks, or after MOST_LOOKS looks while it goes on growing."""

    paths: Sequence[str]
    _imported: dict[str, Mark] = field(default_factory=dict)
    _seen: dict[str, Mark] = field(default_factory=dict)
    _waited: dict[str, int] = field(default_factory=dict)

    def look(self, now: datetime) -> list[str]:
        """Files to import now, at most MOST_FILES_AT_ONCE, each sub-agent after its parent; the others at a later look."""
        try:
            found = [file for file in discover(self.paths, since=None, last=None, now=now) if file.modified]
        except NothingToImport:
            found = []  # the folder may come, or come back
        self._forget_missing({file.path for file in found})
        due = [file for file in found if self._is_due(file)][:MOST_FILES_AT_ONCE]
        for file in due:
            self._imported[file.path] = _mark(file)
            self._waited.pop(file.path, None)
        return [file.path for file in due]

    def _is_due(self, file: Found) -> bool:
        mark = _mark(file)
        if self._imported.get(file.path) == mark:
            return False
        is_still = self._seen.get(file.path) == mark
        self._seen[file.path] = mark
        self._waited[file.path] = self._waited.get(file.path, 0) + 1
        return is_still or self._waited[file.path] >= MOST_LOOKS

    def _forget_missing(self, present: set[str]) -> None:
        """So that a long watch remembers no more than there is, and a file that comes back is read again."""
        for known in (self._imported, self._seen, self._waited):
            for path in known.keys() - present:
                del known[path]


def _mark(file: Found) -> Mark:
    return file.size_bytes, file.modified
