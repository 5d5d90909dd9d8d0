"""A session's compactions as pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from contextapp.accounts.models import Project
from contextapp.compaction.models import Compaction, Failure, SummariserKind, SummariserSetting
from contextapp.compaction.values import DETERMINISTIC

KINDS = tuple(SummariserKind.choices)  # for doors, which don't name models


@dataclass(frozen=True, slots=True)
class Fates:
    """What became of one kind of thing: counts, and those that are worth a look first."""

    kind: str
    verbatim: int
    in_state: int
    lost: int
    names: tuple[tuple[str, str, int], ...]  # (name, fate, event), the lost ones first


@dataclass(frozen=True, slots=True)
class CompactionEntry:
    """`is_ours`: made here, so its survival is known. `is_in_force`: the newest that was not withdrawn."""

    seq: int
    covers_from: int
    covers_to: int
    trigger: str
    summariser: str
    fallback: str
    before_tokens: int | None
    after_tokens: int | None
    fates: tuple[Fates, ...]
    is_ours: bool
    is_in_force: bool
    withdrawn_seq: int | None
    withdrawn_reason: str

    @property
    def saved_percent(self) -> int | None:
        if not self.before_tokens or self.after_tokens is None:
            return None
        return 100 - 100 * self.after_tokens // self.before_tokens


def compactions_of(session_id: UUID) -> tuple[CompactionEntry, ...]:
    """Newest first."""
    rows = Compaction.objects.filter(session_id=session_id).order_by("-seq")
    in_force = next((row.seq for row in rows if row.withdrawn_seq is None and row.summariser), None)
    return tuple(_entry(row, in_force) for row in rows)


def failures_of(session_id: UUID) -> tuple[Failure, ...]:
    return tuple(Failure.objects.filter(session_id=session_id).order_by("-seq"))


def summariser_setting(project: Project) -> SummariserSetting:
    """As it is stored, or as it is without a row."""
    return SummariserSetting.objects.filter(project=project).first() or SummariserSetting(project=project)


def _entry(row: Compaction, in_force: int | None) -> CompactionEntry:
    return CompactionEntry(
        seq=row.seq,
        covers_from=row.covers_from,
        covers_to=row.covers_to,
        trigger=row.trigger,
        summariser=row.summariser,
        fallback=row.fallback,
        before_tokens=row.before_tokens,
        after_tokens=row.after_tokens,
        fates=tuple(_fates(row, kind) for kind in ("constraint", "file", "request")),
        is_ours=row.summariser == DETERMINISTIC or row.summariser.startswith("llm:"),
        is_in_force=row.seq == in_force,
        withdrawn_seq=row.withdrawn_seq,
        withdrawn_reason=row.withdrawn_reason,
    )


def _fates(row: Compaction, kind: str) -> Fates:
    found = [fate for fate in row.survival if fate["kind"] == kind]
    by_fate = {name: [fate for fate in found if fate["fate"] == name] for name in ("lost", "in_state", "verbatim")}
    names = tuple((fate["name"], fate["fate"], fate["seq"]) for held in by_fate.values() for fate in held)
    return Fates(kind, len(by_fate["verbatim"]), len(by_fate["in_state"]), len(by_fate["lost"]), names)
