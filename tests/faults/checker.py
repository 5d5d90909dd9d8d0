"""Judges a history against what is stored. Knows nothing of how it was written; each rule has a name and is tested itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tests.faults.history import Operation


@dataclass(frozen=True, slots=True)
class Row:
    """One stored event."""

    session: UUID
    seq: int
    event_id: UUID
    payload: Mapping[str, Any]  # what drafts_of wrote


def faults(operations: Iterable[Operation], rows: Iterable[Row]) -> list[str]:
    """Every rule that is broken, by name; empty when all is well."""
    history, stored = list(operations), sorted(rows, key=lambda row: (str(row.session), row.seq))
    places: dict[UUID, list[Row]] = defaultdict(list)
    for row in stored:
        places[row.session].append(row)
    by_id = {(row.session, row.event_id): row for row in stored}
    return [
        name
        for name, is_broken in (
            ("acknowledged and lost", _lost(history, by_id)),
            ("answered with another seq", _misplaced(history, by_id)),
            ("gap", any([row.seq for row in rows] != list(range(1, len(rows) + 1)) for rows in places.values())),
            ("stored twice", len(by_id) != len(stored)),
            ("stored and never sent", not set(by_id) <= {(each.session, id_) for each in history for id_ in each.ids}),
            ("refused and stored", _refused_but_stored(history, by_id)),
            ("half a batch", _halved(history, places)),
            ("a client's order is not kept", _reordered(history, by_id)),
        )
        if is_broken
    ]


def _lost(history: Sequence[Operation], by_id: Mapping[tuple[UUID, UUID], Row]) -> bool:
    return any((each.session, id_) not in by_id for each in history if each.outcome == "ok" for id_ in each.ids)


def _misplaced(history: Sequence[Operation], by_id: Mapping[tuple[UUID, UUID], Row]) -> bool:
    return any(
        by_id[each.session, id_].seq != seq
        for each in history
        if each.outcome == "ok"
        for id_, seq in zip(each.ids, each.seqs, strict=True)
        if (each.session, id_) in by_id
    )


def _refused_but_stored(history: Sequence[Operation], by_id: Mapping[tuple[UUID, UUID], Row]) -> bool:
    accepted = {(each.session, id_) for each in history if each.outcome != "fail" for id_ in each.ids}
    refused = {(each.session, id_) for each in history if each.outcome == "fail" for id_ in each.ids}
    return any(key in by_id for key in refused - accepted)


def _halved(history: Sequence[Operation], places: Mapping[UUID, Sequence[Row]]) -> bool:
    """All events of a batch stand side by side in the order they were sent, or none is there."""
    at = {(session, row.event_id): index for session, rows in places.items() for index, row in enumerate(rows)}
    for each in history:
        found = [at.get((each.session, id_)) for id_ in each.ids]
        there = [index for index in found if index is not None]
        if there and (len(there) != len(found) or there != list(range(there[0], there[0] + len(there)))):
            return True
    return False


def _reordered(history: Sequence[Operation], by_id: Mapping[tuple[UUID, UUID], Row]) -> bool:
    """A client sends the next batch only after it was answered, so its batches stand in that order."""
    newest: dict[tuple[int, UUID], int] = {}
    for each in sorted(history, key=lambda operation: (operation.client, operation.batch)):
        row = by_id.get((each.session, each.ids[0])) if each.ids else None
        if row is not None:
            if row.seq < newest.get((each.client, each.session), 0):
                return True
            newest[each.client, each.session] = row.seq
    return False


def content(rows: Iterable[Row]) -> Counter[tuple[Any, ...]]:
    """What is stored without the accidents of order: for comparison with a run in which nothing broke."""
    return Counter((str(row.session), str(row.event_id), repr(sorted(row.payload.items()))) for row in rows)
