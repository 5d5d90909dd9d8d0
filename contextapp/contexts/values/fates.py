"""What became of a text or a source: at which steps, in which rows, for which reason. Figures and words, no content."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.engine.ledger import Row


@dataclass(frozen=True, slots=True)
class Fate:
    """One ledger row of the run's first step, with the reason in words."""

    row: Row
    sentence: str


@dataclass(frozen=True, slots=True)
class FateRun:
    """Steps in a row at which the same happened. `status`: `rows`, `not_yet` (the log did not reach it), or `no_row`."""

    first_step: int
    last_step: int
    status: str
    fates: tuple[Fate, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """`seqs` are the events that hold the text, at most SEQS of `total_events`; `next_after` continues with later steps."""

    origin: str
    seqs: tuple[int, ...]
    total_events: int
    runs: tuple[FateRun, ...]
    step_count: int  # how many were read
    next_after: int | None
