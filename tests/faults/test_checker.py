"""The checker bites: each rule finds the history that breaks it, and a good history breaks none."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from tests.faults.checker import Row, faults
from tests.faults.history import Operation, drafts_of

SESSION = UUID(int=1)


def sent(client: int, batch: int, first: int, size: int = 2, outcome: str = "ok") -> Operation:
    ids = tuple(draft.event_id for draft in drafts_of(client, batch, size))
    seqs = tuple(range(first, first + size)) if outcome == "ok" else ()
    return Operation(client, batch, SESSION, ids, batch, batch + 0.5, outcome, seqs, (False,) * len(seqs))


GOOD = [sent(1, 0, 1), sent(2, 0, 0, outcome="unknown"), sent(1, 1, 3), sent(2, 1, 0, outcome="fail")]
ROWS = [
    Row(SESSION, seq, draft.event_id, draft.payload)
    for seq, draft in enumerate([*drafts_of(1, 0, 2), *drafts_of(1, 1, 2)], 1)
]


def test_a_good_history_breaks_no_rule() -> None:
    assert faults(GOOD, ROWS) == []


def test_what_was_sent_without_an_answer_may_be_there_or_not() -> None:
    there = [Row(SESSION, seq, draft.event_id, draft.payload) for seq, draft in enumerate(drafts_of(2, 0, 2), 5)]

    assert faults(GOOD, [*ROWS, *there]) == []


BROKEN = {
    "acknowledged and lost": (GOOD, ROWS[:2]),
    "answered with another seq": ([replace(GOOD[0], seqs=(2, 1)), *GOOD[1:]], ROWS),
    "gap": (GOOD, [*ROWS, Row(SESSION, 6, drafts_of(2, 0, 2)[0].event_id, {})]),
    "stored twice": (GOOD, [*ROWS, replace(ROWS[0], seq=5)]),
    "stored and never sent": (GOOD, [*ROWS, Row(SESSION, 5, UUID(int=99), {})]),
    "refused and stored": (
        GOOD,
        [*ROWS, *(Row(SESSION, seq, draft.event_id, {}) for seq, draft in enumerate(drafts_of(2, 1, 2), 5))],
    ),
    "half a batch": (GOOD, [*ROWS, Row(SESSION, 5, drafts_of(2, 0, 2)[0].event_id, {})]),
    "a client's order is not kept": (
        GOOD,
        [replace(row, seq=seq) for row, seq in zip(ROWS, (3, 4, 1, 2), strict=True)],
    ),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_rule_finds_what_breaks_it(rule: str) -> None:
    history, rows = BROKEN[rule]

    assert rule in faults(history, rows)
