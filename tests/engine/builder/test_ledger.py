from __future__ import annotations

import json
from dataclasses import replace

from contextapp.engine.builder import build
from contextapp.engine.inputs import Built
from contextapp.engine.ledger import Ledger, Row, diff
from contextapp.engine.policy import Policy
from tests.engine.builder.worlds import CharCounter, Log, inputs_of


def a_row(name: str, **fields: object) -> Row:
    values: dict[str, object] = {
        "source_id": name, "source_kind": "tool_result", "bucket": "transcript", "rank": 10, "action": "keep",
        "mode": "full", "reason": "older_history", "trust": "untrusted", "before_tokens": 10, "after_tokens": 10,
        "method": "exact",
    }  # fmt: skip
    return Row(**(values | fields))  # type: ignore[arg-type]


def a_ledger(*rows: Row) -> Ledger:
    total = sum(row.after_tokens for row in rows if row.is_included)
    return Ledger(rows, {}, 0, 0, 0, total, 1_000)


def kinds(a: Ledger, b: Ledger) -> list[tuple[str, str, int]]:
    return [(change.kind, change.source_id, change.token_delta) for change in diff(a, b)]


def test_equal_ledgers_do_not_differ() -> None:
    ledger = a_ledger(a_row("a", order=0), a_row("b", order=1))

    assert diff(ledger, ledger) == ()


def test_added_changed_and_removed_carry_their_token_deltas() -> None:
    before = a_ledger(a_row("a", order=0), a_row("b", order=1))
    after = a_ledger(a_row("b", order=0, mode="reference", after_tokens=3), a_row("c", order=1))

    assert kinds(before, after) == [("changed", "b", -7), ("added", "c", 10), ("removed", "a", -10)]


def test_what_only_stands_elsewhere_has_moved() -> None:
    before = a_ledger(a_row("a", order=0), a_row("b", order=1), a_row("c", order=2))
    after = a_ledger(a_row("b", order=0), a_row("c", order=1), a_row("a", order=2))

    assert {change.kind for change in diff(before, after)} == {"moved"}
    assert "c" not in [change.source_id for change in diff(before, after)]


def test_what_left_says_why_even_when_it_left_in_a_run() -> None:
    before = a_ledger(a_row("event:5", order=0, events=(5, 5)))
    run = a_row("events:1-9", mode="none", after_tokens=0, events=(1, 9), count=9, reason="bucket_budget")

    (change,) = diff(before, a_ledger(run))

    assert change.after is not None
    assert (change.kind, change.after.reason) == ("removed", "bucket_budget")


def a_build() -> Built:
    log = Log()
    log.add("instructions.loaded", level="project", name="AGENTS.md", path="/w/AGENTS.md", text="rule " * 400)
    log.user("go")
    for number in range(40):
        log.call("bash", "x" * 2_000, command=f"step {number}")
    return build(inputs_of(log.events, window=6_000, factor=1.1), Policy(), CharCounter())


def test_a_ledger_survives_json() -> None:
    ledger = a_build().ledger

    stored = json.loads(json.dumps(ledger.to_dict()))

    assert sorted(Ledger.from_dict(stored).rows, key=repr) == sorted(ledger.rows, key=repr)
    assert Ledger.from_dict(stored).difference == 0


def test_rows_of_another_version_are_read_with_what_they_have() -> None:
    stored = a_row("a").to_dict() | {"unknownField": 7}
    del stored["detail"]

    assert Row.from_dict(stored) == a_row("a")


def test_a_hundred_dropped_events_are_a_handful_of_rows() -> None:
    excluded = a_build().ledger.excluded

    assert sum(row.count for row in excluded) > 60
    assert len(excluded) <= 5


def test_what_is_borrowed_overhead_and_margin_are_rows_to_be_seen() -> None:
    ledger = a_build().ledger

    borrowed = next(row for row in ledger.excluded if row.source_kind == "borrowed")
    figures = {row.source_kind: row.after_tokens for row in ledger.figures}
    assert (borrowed.reason, borrowed.after_tokens, borrowed.bucket) == ("borrowed", 0, "instructions")
    assert borrowed.before_tokens > 0
    assert figures == {"overhead": ledger.overhead_tokens, "margin": ledger.margin_tokens}


def test_a_missing_token_is_a_difference() -> None:
    ledger = a_build().ledger

    assert ledger.difference == 0
    assert replace(ledger, total_tokens=ledger.total_tokens + 1).difference == 1
