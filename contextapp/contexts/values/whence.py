"""Where an argument of a call came from, as pages show it."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.engine.ledger import Row


@dataclass(frozen=True, slots=True)
class Bearer:
    """A source of the window that holds the text, in these events. `is_shortened`: that very part may be cut from it."""

    row: Row
    seqs: tuple[int, ...]
    is_shortened: bool


@dataclass(frozen=True, slots=True)
class Whence:
    """`earlier`: events before the call that hold it and did not stand in its window."""

    step: int
    origin: str
    value: str
    bearers: tuple[Bearer, ...]
    earlier: tuple[int, ...]
    earlier_total: int
