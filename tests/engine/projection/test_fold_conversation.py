"""What the state says of turns, goal, language and constraints."""

from __future__ import annotations

from contextapp.engine.projection.fold import Fold, event_weight, project
from contextapp.engine.projection.state import GOAL_CHARS, MAX_CONSTRAINTS, MAX_INDEXED
from contextapp.engine.projection.weights import MOST
from tests.engine.logs import call, delta, denied, log, result, said, thought, user


def test_the_goal_is_the_first_user_message_with_the_latest_beside_it() -> None:
    state = project(
        log(("session.created", {"agent": "a"}), user("  "), user("Fix login"), said("ok"), user("Now the tests"))
    )

    assert state.goal is not None
    assert (state.goal.text, state.goal.seq) == ("Fix login", 3)
    assert (state.goal.latest_text, state.goal.latest_seq) == ("Now the tests", 5)
    assert state.user_seqs == (3, 5)


def test_a_long_goal_is_kept_as_a_preview_cut_between_characters() -> None:
    state = project(log(user("👩‍👩‍👧" * GOAL_CHARS)))

    assert state.goal is not None
    assert len(state.goal.text) <= GOAL_CHARS
    assert state.goal.text.rstrip("…").replace("👩‍👩‍👧", "") == ""


def test_the_first_and_the_newest_user_messages_are_indexed() -> None:
    facts = [fact for number in range(100) for fact in (user(f"n{number}"), said("ok"))]

    state = project(log(*facts))

    assert len(state.user_seqs) == MAX_INDEXED
    assert state.user_seqs[0] == 1
    assert state.user_seqs[-1] == 199


def test_a_turn_begins_with_a_user_message_after_the_model_spoke() -> None:
    fold, turns = Fold(), []
    facts = (
        user("a"),
        user("b"),
        said("x"),
        user("c", queued=True),
        result("none"),
        user("d"),
        ("turn.started", {}),
        said("y"),
    )

    for event in log(*facts, ("turn.completed", {}), ("turn.started", {}), user("e"), user("f", visibility="ui")):
        fold.feed(event)
        turns.append(fold.state().turn)

    assert turns == [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3]


def test_the_language_is_the_users() -> None:
    assert project(log(user("Please fix the login"))).language == "en"
    assert project(log(user("帮我修复 login 页面"))).language == "zh"
    assert project(log(user("帮我修复登录"), said("ok"), user("12:30 👍"))).language == "zh"
    assert project(log(user("ログインを直してください"))).language == ""


def test_an_order_in_a_user_message_is_a_suspected_constraint_with_its_place() -> None:
    state = project(log(user("Fix the parser. Do not touch the tests. 必须先跑测试"), said("Never mind")))

    assert [(item.id, item.kind, item.seq, item.confirmed) for item in state.constraints] == [
        ("seq:1.1", "prohibition", 1, False),
        ("seq:1.2", "verification", 1, False),
    ]
    assert state.constraints[0].text == "Do not touch the tests."


def test_an_added_constraint_is_confirmed_and_takes_the_place_of_the_suspected_one() -> None:
    added = ("constraint.added", {"id": "c1", "text": "do not push"})

    state = project(log(user("Do not push"), added, user("DO NOT PUSH")))

    assert [(item.id, item.confirmed, item.kind) for item in state.constraints] == [("c1", True, "prohibition")]


def test_a_lifted_constraint_is_gone() -> None:
    added = ("constraint.added", {"id": "c1", "text": "Do not push", "kind": "approval"})

    state = project(
        log(added, user("never commit"), ("constraint.lifted", {"id": "c1"}), ("constraint.lifted", {"id": "x"}))
    )

    assert [item.text for item in state.constraints] == ["never commit"]


def test_suspected_constraints_make_room_for_confirmed_ones() -> None:
    said_often = [user("\n".join(f"never do {number}-{line}" for line in range(20))) for number in range(12)]
    added = [("constraint.added", {"id": f"c{number}", "text": f"rule {number}"}) for number in range(5)]

    state = project(log(added[0], *said_often, *added[1:]))

    assert len(state.constraints) == MAX_CONSTRAINTS
    assert {item.id for item in state.constraints if item.confirmed} == {f"c{number}" for number in range(5)}


def test_bulleted_rules_of_instructions_are_confirmed_until_the_file_is_loaded_again() -> None:
    text = "# Rules\n- Never push to main.\n* Use tabs\n1. You must run the tests\nNever read this\n- 不得修改数据库\n"
    first = ("instructions.loaded", {"level": "project", "path": "AGENTS.md", "text": text})
    again = ("instructions.loaded", {"level": "project", "path": "AGENTS.md", "text": "- Only edit src/"})

    once, twice = project(log(first)), project(log(first, again))

    assert [item.text for item in once.constraints] == [
        "Never push to main.",
        "You must run the tests",
        "不得修改数据库",
    ]
    assert all(item.confirmed for item in once.constraints)
    assert [item.text for item in twice.constraints] == ["Only edit src/"]
    assert twice.instruction_seqs == (2,)


def test_rules_of_a_readme_or_of_no_known_level_bind_nobody() -> None:
    rules = {"text": "- Never push"}

    state = project(
        log(
            ("instructions.loaded", {"level": "project", "path": "README.md", **rules}),
            ("instructions.loaded", {"path": "notes.md", **rules}),
        )
    )

    assert state.constraints == ()
    assert len(state.instruction_seqs) == 2


def test_what_the_model_may_not_see_leaves_no_content_in_the_state() -> None:
    hidden = {"visibility": "audit"}
    facts = (
        user("secret: never tell", **hidden),
        ("constraint.added", {"id": "c", "text": "never tell", **hidden}),
        ("plan.updated", {"items": ["secret"], **hidden}),
        ("resource.included", {"path": "secret", "text": "x", **hidden}),
        denied("a", "secret", **hidden),
    )

    state = project(log(*facts))

    assert "secret" not in str(state.to_dict())
    assert (state.goal, state.constraints, state.resource_seqs, state.weight, state.turn) == (None, (), (), 0, 0)


def test_the_plan_comes_from_plan_events_and_from_the_to_do_tools_of_harnesses() -> None:
    todo = call("a", "TodoWrite", todos=[{"content": "read", "status": "completed"}, "write", 3])
    updated = ("plan.updated", {"items": [{"text": "ship", "status": "open"}]})

    assert project(log(todo)).plan == (("read", "completed"), ("write", ""))
    assert project(log(call("a", "update_plan", plan=[{"step": "s", "status": "p"}]))).plan == (("s", "p"),)
    assert project(log(todo, updated)).plan == (("ship", "open"),)


def test_the_weight_counts_what_stands_in_a_transcript_and_no_event_jumps() -> None:
    facts = (
        user("x" * 40), said("数" * 10), thought("y" * 8), delta("z" * 4), call("a", "Bash", command="ls"),
        result("a", "w" * 4),
        denied("b", "no " * 4), ("session.compacted", {"summary": "s" * 12}),
        ("instructions.loaded", {"text": "i" * 400}),
        result("b", "big" * 1_000_000), user("u" * 40, visibility="ui"), ("permission.resolved", {"decision": "allowed"}),
    )  # fmt: skip

    weights = [event_weight(event) for event in log(*facts)]

    assert weights == [10, 6, 2, 1, 6, 1, 3, 3, 0, MOST, 0, 0]
