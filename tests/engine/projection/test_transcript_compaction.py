"""What a compaction and a clearing leave of a transcript."""

from __future__ import annotations

from contextapp.engine.projection.fold import project
from contextapp.engine.projection.transcript import assemble
from tests.engine.logs import call, compacted, log, outline, refusals, result, said, transcript, user


def test_a_summary_stands_in_for_everything_it_covers() -> None:
    made = transcript(
        user("go"), said("look", "m1"), call("a", message_id="m1"), result("a"), result("a"), ("agent.dreamed", {}),
        compacted(part="boundary"), compacted(part="summary", summary="so far"), user("on"),
    )  # fmt: skip

    assert outline(made) == [("summary:so far",), ("user:on",)]
    assert (made.atoms[0].first_seq, made.atoms[0].last_seq) == (1, 6)
    assert [(row.kind, row.first_seq, row.last_seq, row.reason, row.count) for row in made.refused] == [
        ("transcript", 1, 6, "summarized", 6)
    ]


def test_what_lies_behind_the_covered_range_stays() -> None:
    made = transcript(user("a"), said("b", "m"), user("c"), compacted(summary="s", covers=[1, 2]))

    assert outline(made) == [("summary:s",), ("user:c",)]


def test_a_batch_that_reaches_over_the_boundary_stays_whole() -> None:
    made = transcript(
        user("go"), call("a", message_id="m"), call("b", message_id="m"), result("a"), compacted(summary="s"), result("b"),
    )  # fmt: skip

    assert outline(made) == [("summary:s",), ("assistant:+a,b", "tool:a", "tool:b")]


def test_a_call_that_awaits_a_person_is_not_summarized_away() -> None:
    facts = (user("go"), call("a", message_id="m"), ("permission.requested", {"call_id": "a"}), compacted(summary="s"))

    assert outline(transcript(*facts)) == [("summary:s",), ("assistant:+a",)]
    assert outline(transcript(*facts, said("x", "n"), result("a"))) == [
        ("summary:s",), ("assistant:+a", "tool:a"), ("assistant:x",),
    ]  # fmt: skip


def test_the_last_completed_compaction_wins() -> None:
    facts = (user("a"), compacted(summary="one"), user("b"), compacted(summary="two"), user("c"))

    assert outline(transcript(*facts)) == [("summary:two",), ("user:c",)]
    assert outline(transcript(*facts, ("compaction.withdrawn", {"seq": 4}))) == [
        ("summary:one",), ("user:b",), ("user:c",),
    ]  # fmt: skip


def test_a_withdrawn_summary_is_named_as_superseded() -> None:
    made = transcript(user("a"), compacted(summary="one"), ("compaction.withdrawn", {"seq": 2}))

    assert outline(made) == [("user:a",)]
    assert refusals(made) == [(2, "superseded")]


def test_nothing_is_left_out_for_a_summary_that_is_not_at_hand() -> None:
    events = log(user("a"), said("b", "m"), compacted(summary="s"), user("c"))
    state = project(events)

    without = assemble([events[0], events[1], events[3]], state)
    no_summary = transcript(user("a"), compacted(part="boundary"), user("b"))

    assert outline(without) == [("user:a",), ("assistant:b",), ("user:c",)]
    assert outline(no_summary) == [("user:a",), ("user:b",)]


def test_a_tail_without_the_covered_events_gives_the_same_atoms() -> None:
    events = log(*[user(f"n{number}") for number in range(50)], compacted(summary="s"), user("on"))
    state = project(events)

    assert assemble(events[-2:], state).atoms == assemble(events, state).atoms


def test_a_cleared_result_says_so_and_names_the_event_that_holds_it() -> None:
    cleared = compacted(part="cleared", cleared_call_ids=["a", "b"])

    made = transcript(call("a"), call("b"), result("a", "x" * 500), result("b", "ok"), cleared)

    first, second = made.atoms[0].messages[1:]
    assert first.text == "[Old tool result cleared: 500 characters. Event 3 holds it.]"
    assert first.size_chars == 500
    assert second.text == "ok"


def test_clearing_does_not_reach_a_later_call_of_the_same_id() -> None:
    facts = (call("a", message_id="m"), result("a", "x" * 500), compacted(part="cleared", cleared_call_ids=["a"]))

    made = transcript(*facts, call("a", message_id="n"), result("a", "y" * 500))

    assert made.atoms[1].messages[1].text == "y" * 500
