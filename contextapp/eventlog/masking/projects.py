"""Which mode and rules hold for a project. Read at every append, hence kept in memory for a few seconds.

A change is seen at once by the process that made it and by every other within KEPT_SECONDS.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from django.conf import settings

from contextapp.accounts.models import Project
from contextapp.eventlog.masking.scan import BUILT_IN, Scanner

KEPT_SECONDS = 3.0
_KEPT_PROJECTS = 1000


@dataclass(frozen=True, slots=True)
class Masking:
    """How texts of one project enter the log."""

    own_mode: str  # blank: the installation decides
    scanner: Scanner

    @property
    def mode(self) -> str:
        return self.own_mode or str(settings.MASKING_MODE)


BY_DEFAULT = Masking("", BUILT_IN)
_kept: dict[UUID, tuple[float, Masking]] = {}


def rules_for(project_id: UUID | None) -> Masking:
    """The mode and rules of a project; those of the installation without one, or when there is no such project."""
    if project_id is None:
        return BY_DEFAULT
    now = time.monotonic()
    kept = _kept.get(project_id)
    if kept is not None and now - kept[0] < KEPT_SECONDS:
        return kept[1]
    row = Project.objects.filter(id=project_id).values_list("masking_mode", "masking_rules").first()
    found = BY_DEFAULT if row is None else Masking(row[0], _scanner(tuple((r["id"], r["pattern"]) for r in row[1])))
    if len(_kept) >= _KEPT_PROJECTS:
        _kept.clear()
    _kept[project_id] = (now, found)
    return found


def forget(project_id: UUID) -> None:
    """The next append reads the settings anew."""
    _kept.pop(project_id, None)


@lru_cache(maxsize=200)
def _scanner(own: tuple[tuple[str, str], ...]) -> Scanner:
    """Compiled once per set of rules: a process reads the same ones every few seconds."""
    return Scanner(own) if own else BUILT_IN
