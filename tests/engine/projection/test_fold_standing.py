"""What the state says of instructions, tools, resources, compactions and erasure."""

from __future__ import annotations

import pytest

from contextapp.engine.projection.fold import project
from contextapp.engine.projection.state import MAX_INDEXED, MAX_MARKS
from tests.engine.logs import Fact, call, compacted, log, result, said, user


def mark(*facts: Fact) -> tuple[int, int, int] | None:
    found = project(log(*facts)).compaction
    return (found.seq, found.covers_to, found.summary_seq) if found else None


def test_instructions_are_one_per_identity_and_an_emptied_file_is_gone() -> None:
    def load(level: str, path: str, text: str) -> Fact:
        return "instructions.loaded", {"level": level, "path": path, "text": text}

    facts = (
        load("project", "A", "1"),
        load("directory", "A", "2"),
        load("project", "A", "3"),
        load("directory", "A", " "),
    )

    assert project(log(*facts[:2])).instruction_seqs == (1, 2)
    assert project(log(*facts[:3])).instruction_seqs == (2, 3)
    assert project(log(*facts)).instruction_seqs == (3,)


def test_tools_in_force_reach_back_to_the_latest_full_list() -> None:
    def tools(mode: str) -> Fact:
        return "tools.available", {"mode": mode}

    assert project(log(tools("set"), tools("add"), tools("remove"))).tools_seqs == (1, 2, 3)
    assert project(log(tools("set"), tools("add"), ("tools.available", {}))).tools_seqs == (3,)
    assert project(log(tools("set"), *[tools("add")] * 200)).tools_seqs[:2] == (1, 203 - MAX_INDEXED)


def test_a_resource_that_comes_again_by_its_path_is_one_and_texts_of_one_record_are_two() -> None:
    facts = (
        ("resource.included", {"path": "a.md", "text": "1"}),
        ("resource.included", {"path": "a.md", "text": "2"}),
        ("resource.included", {"id": "r", "kind": "reminder", "text": "3"}),
        ("resource.included", {"id": "r", "kind": "reminder", "text": "4"}),
        ("resource.included", {"id": "r", "kind": "reminder", "text": "4"}),
    )

    assert project(log(*facts)).resource_seqs == (2, 3, 5)


def test_a_boundary_and_its_summary_are_one_mark() -> None:
    facts = (
        user("a"),
        compacted(part="boundary", trigger="auto", before_tokens=900),
        compacted(part="summary", summary="s"),
    )

    state = project(log(*facts))

    assert mark(*facts) == (2, 1, 3)
    assert state.compaction_count == 1
    assert state.compaction is not None
    assert (state.compaction.by, state.compaction.before_tokens) == ("auto", 900)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (compacted(part="whole", summary="s", covers=[1, 2]), (4, 2, 4)),
        (compacted(summary="s"), (4, 3, 4)),
        (compacted(summary="s", covers=None), (4, 3, 4)),
        (compacted(summary="s", covers=[1, 99]), (4, 3, 4)),
        (compacted(summary="s", covers=["1", {}]), (4, 3, 4)),
        (compacted(part="summary", summary="s"), (4, 3, 4)),
        (compacted(part="summary", summary=" "), None),
        (compacted(part="boundary"), (4, 3, 0)),
        (compacted(part="cleared", cleared_call_ids=["x"]), None),
    ],
)
def test_a_compaction_covers_what_it_says_or_everything_before_it(
    fact: Fact, expected: tuple[int, int, int] | None
) -> None:
    assert mark(user("a"), said("b"), user("c"), fact) == expected


def test_an_empty_summary_leaves_the_one_before_in_force() -> None:
    facts = (user("a"), compacted(summary="first"), user("b"), said("c", "m1"), compacted(part="boundary"))

    state = project(log(*facts, compacted(part="summary", summary="")))

    assert state.summary_mark is not None
    assert state.summary_mark.summary_seq == 2
    assert state.compaction_count == 2


def test_a_summary_after_the_next_model_call_does_not_belong_to_an_older_boundary() -> None:
    facts = (user("a"), compacted(part="boundary"), said("b", "m1"), user("c"), compacted(part="summary", summary="s"))

    assert mark(*facts) == (5, 4, 5)


def test_a_withdrawn_compaction_gives_way_to_the_one_before() -> None:
    facts = (user("a"), compacted(summary="1"), user("b"), compacted(summary="2"), ("compaction.withdrawn", {"seq": 4}))

    assert mark(*facts) == (2, 1, 2)
    assert project(log(*facts)).compaction_count == 1
    assert mark(*facts, ("compaction.withdrawn", {"seq": 2})) is None
    assert mark(*facts, ("compaction.withdrawn", {"seq": 77})) == (2, 1, 2)


def test_earlier_marks_are_capped() -> None:
    state = project(log(*[compacted(summary=str(number)) for number in range(30)]))

    assert len(state.earlier_compactions) == MAX_MARKS
    assert state.compaction_count == 30


def test_cleared_results_are_named_until_their_id_is_used_again() -> None:
    facts = (
        call("a"),
        result("a"),
        call("b"),
        result("b"),
        compacted(part="cleared", cleared_call_ids=["a", "b", 5, None]),
    )

    assert project(log(*facts)).cleared_calls == ("a", "b", "5")
    assert project(log(*facts, call("a"))).cleared_calls == ("b", "5")


def test_erasure_takes_what_the_erased_events_said_out_of_the_state() -> None:
    facts = (
        user("Secret one. Never tell"),
        call("a", "Bash", command="secret"),
        result("a", "secret failed", is_error=True),
        compacted(summary="secret"),
        ("event.redacted", {"first_seq": 1, "last_seq": 4}),
    )

    state = project(log(*facts))

    assert "ecret" not in str(state.to_dict())
    assert state.redacted == ((1, 4),)
    assert (state.goal, state.summary_mark, state.indexed_seqs()) == (None, None, ())


def test_erasing_the_first_message_leaves_the_latest_as_goal() -> None:
    state = project(log(user("Secret"), said("x"), user("Open"), ("event.redacted", {"first_seq": 1, "last_seq": 1})))

    assert state.goal is not None
    assert (state.goal.text, state.goal.seq, state.goal.latest_text) == ("Open", 3, "Open")


def test_a_build_is_told_every_event_it_needs_beside_the_tail() -> None:
    facts = (
        ("instructions.loaded", {"level": "project", "path": "A", "text": "x"}),
        ("tools.available", {}),
        user("go"),
        ("resource.included", {"path": "r", "text": "r"}),
        call("a", message_id="m1"),
        compacted(summary="s"),
        ("retrieval.completed", {}),
        said("x", "m1"),
    )

    assert project(log(*facts)).indexed_seqs() == (1, 2, 3, 4, 5, 6, 7)
