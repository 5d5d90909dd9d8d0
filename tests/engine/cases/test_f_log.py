"""Cases F: the log is only ever added to, the newest completed compaction counts, and one place owns what is in."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from contextapp.engine.inputs import Built
from contextapp.engine.ledger import Ledger
from contextapp.engine.policy import Limits, Policy
from contextapp.engine.projection.fold import advance, project
from contextapp.engine.projection.state import SessionState
from tests.engine.builder.worlds import Log
from tests.engine.cases.scenes import batch, built, compact, messages, outlined, row_of, rows_for, said


def _told(log: Log, count: int, start: int = 0) -> None:
    for number in range(start, start + count):
        log.say(f"answer number {number}")


def test_f89_what_was_said_while_the_summary_was_made_is_all_there() -> None:
    log = Log()
    log.user("go")
    _told(log, 2)
    log.user("a thought of mine meanwhile")
    log.call("bash", "output meanwhile", command="x")
    _told(log, 225, start=100)
    compact(log, 3)

    made = built(log, window=200_000)

    assert "a thought of mine meanwhile" in said(made) and "output meanwhile" in said(made)
    assert all(f"answer number {number}" in said(made) for number in range(100, 325))
    assert "answer number 1\n" not in said(made)


@pytest.mark.parametrize("last", [1, 2, 5, 8, 400, -3])
def test_f89_a_boundary_that_claims_too_much_or_too_little_destroys_nothing_after_it(last: int) -> None:
    log = Log()
    log.user("go")
    _told(log, 5)
    mark = compact(log, last)
    log.say("said afterwards")

    made = built(log)

    assert "said afterwards" in said(made)
    assert [row.reason for row in rows_for(made, mark.seq + 1)] == ["recent_tail"]


def test_f91_a_compaction_reads_back_from_storage_as_it_was() -> None:
    log = Log()
    log.user("go")
    _told(log, 3)
    compact(log, 3, before_tokens=900, after_tokens=40, by="contextapp")
    compact(log, 4, part="cleared", cleared_call_ids=["a"])
    log.call("bash", None, call_id="open", command="x")
    state = project(log.events)

    stored = SessionState.from_dict(json.loads(json.dumps(state.to_dict())))

    log.say("more")
    assert stored == state
    assert stored.summary_mark == state.summary_mark is not None
    assert advance(stored, log.events) == project(log.events)


def test_f91_a_ledger_and_a_policy_read_back_as_they_were() -> None:
    log = Log()
    log.user("go")
    _told(log, 3)
    compact(log, 3)
    ledger, policy = built(log).ledger, replace(Policy(), limits=Limits(result_chars=9_000))

    assert Ledger.from_dict(json.loads(json.dumps(ledger.to_dict()))).to_dict() == ledger.to_dict()
    assert Policy.from_dict(json.loads(json.dumps(policy.to_dict()))) == policy


@pytest.mark.parametrize(
    "later",
    [
        {"summary": ""},
        {"summary": "  \n"},
        {"part": "boundary", "summary": ""},
        {"part": "summary", "summary": ""},
        {"part": "cleared", "summary": "", "cleared_call_ids": []},
    ],
)
def test_f92_the_last_completed_compaction_counts(later: dict[str, Any]) -> None:
    log = Log()
    log.user("go")
    _told(log, 2)
    compact(log, 2, "The first summary.")
    _told(log, 2, start=10)
    compact(log, 5, "The second summary.")
    _told(log, 2, start=20)
    compact(log, 8, **later)

    made = built(log)

    assert "The second summary." in said(made) and "The first summary." not in said(made)
    assert "answer number 20" in said(made) and "answer number 10" not in said(made)


def test_f92_a_withdrawn_compaction_gives_back_the_one_before_and_what_it_covered() -> None:
    log = Log()
    log.user("go")
    _told(log, 1)
    compact(log, 2, "The first summary.")
    _told(log, 1, start=10)
    wrong = compact(log, 4, "The second summary.")
    log.add("compaction.withdrawn", seq=wrong.seq, reason="wrong", by="Alice")

    made = built(log)

    assert "The first summary." in said(made) and "The second summary." not in said(made)
    assert "answer number 10" in said(made)


@pytest.mark.parametrize("window", [600, 1_500, 4_000])
def test_f93_what_was_dropped_comes_back_by_no_other_door(window: int) -> None:
    log = Log()
    log.user("go")
    for number in range(40):
        log.call("bash", "the same text each time " * 10, command=f"step {number}")

    made = built(log, window=window)

    sent = {row.source_id for row in made.ledger.included}
    runs = [row.events for row in made.ledger.excluded if row.events]
    assert len(sent) == len(made.ledger.included)
    for row in made.ledger.included:
        if row.source_kind in ("tool_result", "assistant_message") and row.events:
            assert not any(first <= row.events[0] and row.events[1] <= last for first, last in runs)
    assert sum(row.count for row in _transcript(made)) == len(log.events)


def _transcript(made: Built) -> list[Any]:
    kinds = ("user_message", "assistant_message", "tool_result", "transcript")
    return [row for row in made.ledger.rows if row.source_kind in kinds]


def test_f94_a_file_whose_read_was_cleared_still_counts_as_read_and_its_rules_come_once() -> None:
    log = Log()
    for _ in range(3):
        log.add(
            "instructions.loaded", level="project", name="AGENTS.md", path="/work/shop/AGENTS.md", text="- Use tabs"
        )
    log.user("go")
    log.call("read_file", "text\n" * 300, call_id="r1", path="a/b.py")
    log.add("session.compacted", part="cleared", cleared_call_ids=["r1"])

    made = built(log)

    assert [(file.path, file.read_seq) for file in project(log.events).files] == [("a/b.py", 6)]
    assert "cleared" in messages(made)[3]["content"] and "Event 6 holds it" in messages(made)[3]["content"]
    assert messages(made)[0]["content"].count("- Use tabs") == 1


def test_f94_a_result_that_may_not_be_shortened_does_not_shield_older_ones() -> None:
    log = Log()
    log.user("go")
    for number in range(6):
        log.call("bash", "x" * 3_000, command=f"early {number}")
    batch(log, "held", command="sleep")
    log.add("tool.completed", call_id="held", content="pending " * 300, pending=True)
    for number in range(30):
        log.call("bash", "x" * 3_000, command=f"late {number}")

    made = built(log, window=24_000)

    older = [
        row for row in made.ledger.included if row.source_kind == "tool_result" and row.events and row.events[0] < 14
    ]
    assert "tool:held" in outlined(made)
    assert {row.mode for row in older} <= {"reference"}


def test_f96_nul_in_texts_and_keys_stops_no_build_and_reaches_no_snapshot() -> None:
    log = Log()
    log.add("session.created", cwd="/wo\0rk", agent="a\0")
    log.add("tools.available", tools=[{"name": "t\0", "description": "d\0", "schema": {"a\0": "b\0"}}])
    log.user("never push\0 to main\0")
    log.add("tool.requested", call_id="c\0", name="ba\0sh", input={"comm\0and": "l\0s"}, message_id="m\0")
    log.add("tool.completed", call_id="c\0", content="Error: out\0put", is_error=True)
    log.add("constraint.added", id="k\0", text="never \0 push")
    log.add("plan.updated", items=[{"text": "a\0", "status": "o\0"}])
    log.add("tool.requested", call_id="d\0", name="ba\0sh", input={}, message_id="n\0")
    log.add("permission.resolved", call_id="d\0", decision="denied", reason="no\0")

    made = built(log)

    assert "\\u0000" not in json.dumps(project(log.events).to_dict())
    assert row_of(made, "event:5").is_included
