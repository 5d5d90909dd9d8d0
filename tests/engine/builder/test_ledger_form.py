"""The ledger's JSON key by key, and what a difference says of sources that came, went or moved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contextapp.engine.ledger import Change, Ledger, Row, diff


def row(source_id: str, order: int = -1, **fields: object) -> Row:
    included = order >= 0
    plain = Row(
        source_id=source_id,
        source_kind="tool_result",
        bucket="transcript",
        rank=5,
        action="keep" if included else "drop",
        mode="full" if included else "none",
        reason="recent_tail" if included else "bucket_budget",
        trust="untrusted",
        before_tokens=10,
        after_tokens=10 if included else 0,
        method="exact",
        order=order,
        block=f"block of {source_id}" if included else "",
    )
    return replace(plain, **fields)  # type: ignore[arg-type]  the tests name the fields


def ledger(*rows: Row, **fields: int) -> Ledger:
    total = sum(entry.after_tokens for entry in rows)
    plain = Ledger(
        rows=rows,
        buckets={"transcript": {"allotted": 100, "used": total}},
        floor_tokens=3,
        overhead_tokens=0,
        margin_tokens=0,
        total_tokens=total,
        window_tokens=200,
    )
    return replace(plain, **fields)


def test_the_json_of_a_ledger_has_the_keys_that_are_recorded() -> None:
    gone = row("event:3", reason="summarized", displaced_by="summary:9", events=(3, 5))
    made = ledger(row("event:7", 0), gone, row("event:8", reason="stale"), cached_prefix_tokens=6)

    stored = made.to_dict()

    assert set(stored) == {
        "estimatedTokens", "windowTokens", "included", "excluded", "figures", "compactions", "buckets", "floor",
        "overhead", "margin", "cachedPrefixTokens",
    }  # fmt: skip
    assert stored["compactions"] == [{"sourceId": "event:3", "summaryId": "summary:9", "originalRef": (3, 5)}]
    assert stored["cachedPrefixTokens"] == 6
    assert set(stored["included"][0]) == {
        "sourceId", "sourceKind", "bucket", "rank", "action", "mode", "reason", "trust", "beforeTokens", "afterTokens",
        "method", "role", "title", "compressible", "events", "order", "displacedBy", "block", "count", "detail",
    }  # fmt: skip


def test_a_ledger_reads_back_with_its_prefix_and_an_older_one_without() -> None:
    made = ledger(row("event:7", 0), cached_prefix_tokens=6)
    older = {key: value for key, value in made.to_dict().items() if key not in ("cachedPrefixTokens", "figures")}

    assert Ledger.from_dict(made.to_dict()) == made
    assert Ledger.from_dict(older) == replace(made, cached_prefix_tokens=0)


def test_a_source_that_came_carries_the_row_that_had_kept_it_out() -> None:
    out, came = row("event:7", reason="stale"), row("event:7", 0)

    assert diff(ledger(out), ledger(came)) == (Change("added", "event:7", out, came),)
    assert diff(ledger(), ledger(came)) == (Change("added", "event:7", None, came),)


def test_sources_that_changed_places_are_moved_by_their_order_and_not_by_their_names() -> None:
    before = ledger(row("c", 0), row("a", 1), row("b", 2))
    after = ledger(row("a", 0), row("c", 1), row("b", 2))

    found = {change.source_id: change for change in diff(before, after)}

    assert {change.kind for change in found.values()} == {"moved"}
    assert found["c"] == Change("moved", "c", before.rows[0], after.rows[1])
    assert found["a"] == Change("moved", "a", before.rows[1], after.rows[0])
    assert diff(before, before) == ()


@pytest.mark.parametrize(
    ("run", "tells"),
    [
        ({"events": (4, 6), "count": 2}, True),  # its own range exactly
        ({"events": (1, 9), "count": 3}, True),
        ({"events": (5, 9), "count": 3}, False),  # begins too late
        ({"events": (1, 5), "count": 3}, False),  # ends too early
        ({"events": (1, 9), "count": 1}, False),  # one source of its own, not a run
        ({"events": None, "count": 3}, False),
    ],
)
def test_what_left_names_the_run_that_holds_its_events(run: dict[str, object], tells: bool) -> None:
    was = row("event:4", 0, events=(4, 6))
    collapsed = row("events 1 to 9", **run)

    (change,) = diff(ledger(was), ledger(collapsed))

    assert change == Change("removed", "event:4", was, collapsed if tells else None)
    assert change.token_delta == -10


def test_what_left_names_its_own_row_before_any_run() -> None:
    was = row("event:4", 0, events=(4, 6))
    run, own = row("events 1 to 9", events=(1, 9), count=3), row("event:4", events=(4, 6), reason="stale")

    (change,) = diff(ledger(was), ledger(run, own))

    assert change.after == own
