"""Ledger rows and their sums: every candidate source exactly once, with what became of it and why.

The one equation: included rows (the reserve is one of them) + overhead + margin = total. `overhead` and `margin` have rows
of their own for the reader; they are figures, neither included nor excluded, so that nobody adds them twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from contextapp.engine.values import Action, Mode

FIGURES = frozenset({"overhead", "margin"})  # source kinds


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
    def is_figure(self) -> bool:
        return self.source_kind in FIGURES

    @property
    def is_included(self) -> bool:
        return self.mode != Mode.NONE and not self.is_figure

    def to_dict(self) -> dict[str, Any]:
        """camelCase as the ledger's JSON has it (DESIGN section 4)."""
        return dict(zip(_CAMEL, _values(self), strict=True))

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


_COLUMNS = tuple(column.name for column in fields(Row))
_CAMEL = tuple(_camel(name) for name in _COLUMNS)
_values = attrgetter(*_COLUMNS)


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
        return tuple(row for row in self.rows if not row.is_included and not row.is_figure)

    @property
    def figures(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_figure)

    @property
    def difference(self) -> int:
        """Total minus its parts. Not zero means a defect of the engine, never a rounding."""
        rows = sum(row.after_tokens for row in self.rows if row.is_included)
        return self.total_tokens - rows - self.overhead_tokens - self.margin_tokens

    def to_dict(self) -> dict[str, Any]:
        """The ledger's JSON of DESIGN section 4, without what only the shell knows (session, turn, origin)."""
        return {
            "estimatedTokens": self.total_tokens,
            "windowTokens": self.window_tokens,
            "included": [row.to_dict() for row in self.included],
            "excluded": [row.to_dict() for row in self.excluded],
            "figures": [row.to_dict() for row in self.figures],
            "compactions": [
                {"sourceId": row.source_id, "summaryId": row.displaced_by, "originalRef": row.events}
                for row in self.excluded
                if row.reason == "summarized"
            ],
            "buckets": {name: dict(figures) for name, figures in self.buckets.items()},
            "floor": self.floor_tokens,
            "overhead": self.overhead_tokens,
            "margin": self.margin_tokens,
            "cachedPrefixTokens": self.cached_prefix_tokens,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Ledger:
        """Reads what `to_dict` wrote, of any engine version."""
        rows = [*stored["included"], *stored["excluded"], *stored.get("figures", ())]
        return cls(
            rows=tuple(Row.from_dict(row) for row in rows),
            buckets=stored["buckets"],
            floor_tokens=stored["floor"],
            overhead_tokens=stored["overhead"],
            margin_tokens=stored["margin"],
            total_tokens=stored["estimatedTokens"],
            window_tokens=stored["windowTokens"],
            cached_prefix_tokens=stored.get("cachedPrefixTokens", 0),
        )


@dataclass(frozen=True, slots=True)
class Change:
    """One source in two ledgers. kind: added, removed, changed (mode or tokens), moved (place among those in both)."""

    kind: str
    source_id: str
    before: Row | None
    after: Row | None

    @property
    def token_delta(self) -> int:
        return _in_request(self.after) - _in_request(self.before)


def _in_request(row: Row | None) -> int:
    return row.after_tokens if row is not None and row.is_included else 0


def diff(a: Ledger, b: Ledger) -> tuple[Change, ...]:
    """What `b` has otherwise than `a`, each source once, in the order of b's request and then of what left it.

    A source that left carries as `after` the row that says why: its own, or the collapsed run that holds its events.
    """
    before = {row.source_id: row for row in a.included}
    after = {row.source_id: row for row in b.included}
    moved = _moved(before, after)
    changes = []
    for source_id, row in after.items():
        old = before.get(source_id)
        if old is None:
            changes.append(Change("added", source_id, _excluded_row(a, row), row))
        elif (old.mode, old.after_tokens, old.block) != (row.mode, row.after_tokens, row.block):
            changes.append(Change("changed", source_id, old, row))
        elif source_id in moved:
            changes.append(Change("moved", source_id, old, row))
    for source_id, row in before.items():
        if source_id not in after:
            changes.append(Change("removed", source_id, row, _excluded_row(b, row)))
    return tuple(changes)


def _moved(before: Mapping[str, Row], after: Mapping[str, Row]) -> set[str]:
    """Those of both whose neighbour in front is another than before, though both neighbours are in both."""
    old = [source_id for source_id in sorted(before, key=lambda key: before[key].order) if source_id in after]
    new = [source_id for source_id in sorted(after, key=lambda key: after[key].order) if source_id in before]
    in_front_before = dict(zip(old[1:], old, strict=False))
    in_front_after = dict(zip(new[1:], new, strict=False))
    return {key for key in new if in_front_before.get(key) != in_front_after.get(key)}


def _excluded_row(ledger: Ledger, wanted: Row) -> Row | None:
    """The row that tells why `wanted` is not in the ledger's request."""
    for row in ledger.excluded:
        if row.source_id == wanted.source_id:
            return row
    if wanted.events is None:
        return None
    first, last = wanted.events
    for row in ledger.excluded:
        if row.count > 1 and row.events and row.events[0] <= first and last <= row.events[1]:
            return row
    return None


__all__ = ["Action", "Change", "Ledger", "Mode", "Row", "diff"]
