"""What stands in another harness's window at a call."""

from __future__ import annotations

from contextapp.engine.observed import ObservedWindow
from tests.engine.logs import call, compacted, delta, denied, log, result, said, thought, user
from tests.engine.observed.windows import PROFILE, WordCounter, after, excluded, included, ledger_of, walk


def test_the_window_holds_what_was_said_called_and_answered() -> None:
    ledger = after(
        user("fix the bug"), thought("let me see", "m"), said("I look now", "m"),
        call("a", "Bash", "m", command="pytest -k x"), result("a", "one failed"),
    )  # fmt: skip

    assert included(ledger) == [
        ("user_message", "fix the bug", 3),
        ("thinking", "let me see", 3),
        ("assistant_message", "I look now", 7),
        ("tool_result", "Bash pytest -k x", 2),
    ]
    assert {row.reason for row in ledger.rows if row.is_included} == {"observed_sent"}
    assert [row.order for row in ledger.rows if row.is_included] == [0, 1, 2, 3]
    assert ledger.total_tokens == ledger.estimated_tokens == 15
    assert ledger.residue == {}
    assert (ledger.window_tokens, ledger.step) == (1_000, 1)


def test_the_answer_of_a_call_is_in_the_window_of_the_next_one_only() -> None:
    first, second = walk(log(user("go"), said("a b c", "m1"), user("on"), said("d", "m2")))

    assert included(first) == [("user_message", "go", 1)]
    assert included(second) == [("user_message", "go", 1), ("assistant_message", "a b c", 3), ("user_message", "on", 1)]


def test_parts_of_an_answer_are_one_row_and_streamed_text_counts_once() -> None:
    ledger = after(
        delta("one ", "m"), delta("two", "m"), said("one two", "m"), call("a", "Read", "m", file_path="x"), result("a")
    )

    rows = [row for row in ledger.rows if row.source_kind == "assistant_message"]
    assert [(row.events, row.after_tokens) for row in rows] == [((1, 4), 4)]


def test_thinking_of_an_earlier_turn_is_dropped_when_the_user_speaks() -> None:
    facts = (user("go"), thought("hm hm", "m1"), said("ok", "m1"), user("later", queued=True))

    assert ("thinking", "hm hm", 2) in included(after(*facts))
    rows = excluded(after(*facts, user("more"), thought("new", "m2")))
    assert [(row.reason, row.count, row.before_tokens, row.after_tokens) for row in rows] == [
        ("thinking_dropped", 1, 2, 0)
    ]


def test_instructions_tools_and_resources_have_their_buckets() -> None:
    ledger = after(
        ("instructions.loaded", {"level": "session", "name": "system", "text": "be kind"}),
        ("tools.available", {"tools": [{"name": "ls"}, {"name": "get", "server": "fs"}]}),
        ("resource.included", {"title": "reminder", "text": "one two three"}),
        user("go"),
    )

    assert [(row.source_id, row.bucket, row.role) for row in ledger.rows] == [
        ("instruction:session:system", "instructions", "system"),
        ("tool:ls", "tool_schemas", "system"),
        ("tool:mcp:fs.get", "tool_schemas", "system"),
        ("resource:3", "mcp_resources", "user"),
        ("event:4", "transcript", "user"),
    ]
    used = {name: figures["used"] for name, figures in ledger.buckets.items()}
    assert used == {
        "instructions": 2,
        "memory": 0,
        "tool_schemas": 2,
        "mcp_resources": 3,
        "transcript": 1,
        "reserve": 0,
    }


def test_what_the_file_never_holds_is_named_with_no_tokens() -> None:
    rows = [row for row in after(user("go")).rows if row.reason == "not_recorded"]

    assert [(row.title, row.bucket, row.before_tokens, row.is_included) for row in rows] == [
        ("system prompt", "instructions", 0, False),
        ("tool schemas", "tool_schemas", 0, False),
    ]


def test_a_tool_that_is_taken_away_and_a_file_that_is_loaded_again_stand_once() -> None:
    def tools(mode: str, *names: str) -> tuple[str, dict[str, object]]:
        return "tools.available", {"mode": mode, "tools": [{"name": name} for name in names]}

    load = ("instructions.loaded", {"level": "directory", "path": "a.md", "text": "x"})

    rows = [
        row.source_id for row in after(load, tools("set", "a", "b"), tools("remove", "a"), tools("add", "c"), load).rows
    ]

    assert rows[:3] == ["instruction:directory:a.md", "tool:b", "tool:c"]
    assert "not_recorded:system_prompt" in rows


def test_a_compaction_takes_everything_out_and_puts_its_summary_in() -> None:
    ledger = after(
        ("instructions.loaded", {"level": "session", "name": "system", "text": "be kind"}),
        user("one two"), said("three", "m1"),
        compacted(part="boundary"), compacted(part="summary", summary="so far so good"), user("on"),
    )  # fmt: skip

    assert included(ledger) == [
        ("instruction", "session: system", 2),
        ("summary", "Summary of events 1 to 3", 4),
        ("user_message", "on", 1),
    ]
    assert [row.reason for row in ledger.rows if row.is_included] == [
        "observed_sent",
        "harness_summary",
        "observed_sent",
    ]
    (gone,) = excluded(ledger)
    assert (gone.reason, gone.count, gone.before_tokens, gone.events) == ("harness_compacted", 2, 3, (2, 3))
    assert gone.displaced_by == "summary:1-3"


def test_each_compaction_has_its_own_row_and_the_older_summary_is_part_of_the_next_range() -> None:
    ledger = after(user("a"), compacted(summary="s one"), user("b"), compacted(summary="s two"), user("c"))

    assert [(row.reason, row.count) for row in excluded(ledger)] == [("harness_compacted", 1), ("harness_compacted", 2)]
    assert included(ledger) == [("summary", "Summary of events 1 to 3", 2), ("user_message", "c", 1)]


def test_a_newer_summary_takes_the_place_of_the_older_one_whatever_it_covers() -> None:
    ledger = after(
        user("a"), user("b"), compacted(summary="one", covers=[1, 1]), compacted(summary="two", covers=[1, 1])
    )

    assert [title for _, title, _ in included(ledger)] == ["Summary of events 1 to 1", "b"]
    assert [(row.source_id, row.count) for row in excluded(ledger)] == [("events:1-1", 1), ("events:1-1@4", 1)]


def test_what_lies_behind_the_covered_range_stays() -> None:
    ledger = after(user("a"), user("b"), compacted(summary="s", covers=[1, 1]))

    assert [title for _, title, _ in included(ledger)] == ["Summary of events 1 to 1", "b"]


def test_a_summary_that_is_not_in_the_file_is_named() -> None:
    rows = after(user("a"), compacted(part="boundary")).rows

    assert "not_recorded:summary:2" in [row.source_id for row in rows if row.reason == "not_recorded"]


def test_a_withdrawn_compaction_gives_back_what_it_took() -> None:
    ledger = after(user("a"), compacted(summary="s"), user("b"), ("compaction.withdrawn", {"seq": 2}))

    assert [title for _, title, _ in included(ledger)] == ["a", "b"]
    assert excluded(ledger) == []


def test_a_cleared_result_is_out_and_named() -> None:
    ledger = after(
        call("a", "Read", file_path="x.py"),
        result("a", "one two"),
        compacted(part="cleared", cleared_call_ids=["a", "z"]),
    )

    (gone,) = excluded(ledger)
    assert (gone.reason, gone.title, gone.before_tokens) == ("harness_cleared", "Read x.py", 2)
    assert [kind for kind, _, _ in included(ledger)] == ["assistant_message"]


def test_a_cut_result_and_a_partial_read_say_what_of_how_much() -> None:
    ledger = after(
        result("a", "w " * 10, cut={"shown_chars": 30_000, "total_chars": 120_000}),
        result("b", "w " * 10, read_range={"first_line": 1, "last_line": 50, "total_lines": 200}),
        result("c", "w " * 10, read_range={"first_line": 1, "last_line": 50, "total_lines": 50}),
        result("d", "w " * 10, cut={"shown_chars": 20, "total_chars": None}),
        result("e", "w " * 10, cut={"shown_chars": 20, "total_chars": 20}),
    )

    rows = [
        (row.reason, row.detail, row.before_tokens, row.after_tokens, row.mode)
        for row in ledger.rows
        if row.is_included
    ]
    assert rows == [
        ("harness_truncated", "30,000 of 120,000 characters", 40, 10, "excerpt"),
        ("read_range", "lines 1-50 of 200", 40, 10, "excerpt"),
        ("observed_sent", "", 10, 10, "full"),
        ("harness_truncated", "20 characters of a cut result", 10, 10, "excerpt"),
        ("observed_sent", "", 10, 10, "full"),
    ]


def test_what_the_model_could_not_see_and_what_is_no_source_leave_no_row() -> None:
    ledger = after(
        user("x", visibility="ui"), said("API Error", synthetic=True), denied("a"), ("usage.reported", {"message_id": "m"}),
        ("agent.dreamed", {"text": "x"}), ("verification.completed", {"summary": "x"}),
    )  # fmt: skip

    assert included(ledger) == []
    assert excluded(ledger) == []


def test_erased_content_is_named() -> None:
    ledger = after(("user.message", {"erased": True}), ("tool.completed", {"erased": True}), user("x"))

    assert [(row.reason, row.count, row.events) for row in excluded(ledger)] == [("erased", 2, (1, 2))]


def test_media_cost_their_price_and_the_row_is_an_estimate() -> None:
    ledger = after(user("look", media=[{"media_type": "image/png", "width": 300, "height": 250}]))

    (row,) = [row for row in ledger.rows if row.is_included]
    assert (row.after_tokens, row.method) == (101, "estimated")


def test_a_text_is_counted_once_however_many_calls_there_are() -> None:
    window, counter = ObservedWindow(), WordCounter()
    for event in log(user("say once"), said("and this", "m1"), result("x", "and that")):
        window.feed(event)

    first = [window.ledger(step, None, 1.0, counter, PROFILE) for step in range(1, 6)]

    assert set(counter.asked.values()) == {1}
    assert all(ledger.rows == first[0].rows for ledger in first)


def test_a_late_part_grows_its_row() -> None:
    window = ObservedWindow()
    facts = log(
        call("a", "Bash", "m", command="ls"), result("a", "x"), call("b", "Bash", "m", command="pwd"), result("b", "y")
    )
    for event in facts[:2]:
        window.feed(event)
    before = included(ledger_of(window))

    for event in facts[2:]:
        window.feed(event)

    assert before == [("assistant_message", "Bash ls", 2), ("tool_result", "Bash ls", 1)]
    assert included(ledger_of(window)) == [
        ("assistant_message", "Bash ls", 4), ("tool_result", "Bash ls", 1), ("tool_result", "Bash pwd", 1),
    ]  # fmt: skip


def test_a_history_that_replaced_the_old_one_stands_message_by_message_until_the_next_one() -> None:
    history = [
        {"role": "user", "text": "fix it"},
        {"role": "compaction", "text": ""},
        {"role": "assistant", "text": "so far"},
    ]
    first = compacted(summary="fix it\n\nso far", replacement=history)

    one, two = after(user("a"), first, user("b")), after(user("a"), first, user("b"), compacted(summary="s"))

    assert included(one) == [("summary", "fix it", 2), ("summary", "so far", 2), ("user_message", "b", 1)]
    assert [row.role for row in one.rows if row.is_included] == ["user", "assistant", "user"]
    assert len({row.source_id for row in one.rows}) == len(one.rows)
    assert included(two) == [("summary", "Summary of events 1 to 3", 1)]


def test_a_withdrawn_compaction_takes_all_messages_of_its_history_with_it() -> None:
    history = [{"role": "user", "text": "fix it"}, {"role": "assistant", "text": "so far"}]

    ledger = after(
        user("a"), compacted(summary="s", replacement=history), user("b"), ("compaction.withdrawn", {"seq": 2})
    )

    assert included(ledger) == [("user_message", "a", 1), ("user_message", "b", 1)]


def test_added_tools_do_not_stand_for_a_list_that_was_not_recorded() -> None:
    added = ("tools.available", {"mode": "add", "tools": [{"name": "remind"}]})

    rows = [row.source_id for row in after(added, user("go")).rows]

    assert "not_recorded:tool_schemas" in rows and "tool:remind" in rows
