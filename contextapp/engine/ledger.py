"""Ledger rows and their sums: every candidate source exactly once, with what became of it and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from contextapp.engine.values import Action, Mode

EXCLUDED_MODES = (Mode.NONE,)


@dataclass(frozen=True, slots=True)
class Row:
    """One decision. Tokens are of the rendered block for included rows, of the whole source before.

    events: (first, last) seq, or None; order: place in the request, -1 for rows that stand in none;
    count: how many sources of the same fate the row sums up.
    """

    source_id: str
    source_kind: str
    bucket: str
    rank: int
    action: str
    mode: str
    reason: str
    trust: str
    before_tokens: int
    after_tokens: int
    method: str
    role: str = ""
    title: str = ""
    compressible: bool = True
    events: tuple[int, int] | None = None
    order: int = -1
    displaced_by: str = ""
    block: str = ""  # digest of the rendered block
    count: int = 1
    detail: str = ""  # what of how much is shown, findings, conflicts

    @property
    def is_included(self) -> bool:
        return self.mode != Mode.NONE

    def to_dict(self) -> dict[str, Any]:
        """camelCase as the ledger's JSON has it (DESIGN section 4)."""
        return {_camel(name): value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Row:
        """Reads rows of any engine version: missing fields take their default, unknown ones are left out."""
        known = {_camel(column.name): column.name for column in fields(cls)}
        made = {known[key]: value for key, value in stored.items() if key in known}
        if made.get("events") is not None:
            made["events"] = tuple(made["events"])
        return cls(**made)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


@dataclass(frozen=True, slots=True)
class Ledger:
    """All decisions of one build and the figures that rows must add up to."""

    rows: tuple[Row, ...]
    buckets: Mapping[str, Mapping[str, int]]  # {bucket: {"allotted": n, "used": n}}
    floor_tokens: int
    overhead_tokens: int
    margin_tokens: int
    total_tokens: int  # rendered request plus reserve
    window_tokens: int
    cached_prefix_tokens: int = 0

    @property
    def included(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_included)

    @property
    def excluded(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if not row.is_included)


__all__ = ["Action", "Ledger", "Mode", "Row"]
