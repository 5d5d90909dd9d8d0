"""What the state says of calls, approvals, files, commands, failures and phase."""

from __future__ import annotations

import pytest

from contextapp.engine.projection.fold import project
from contextapp.engine.projection.state import Call, Command, Denial, FileState
from tests.engine.logs import Fact, call, denied, log, result, said, user


def open_calls(*facts: Fact) -> list[tuple[str, int]]:
    return [(item.call_id, item.seq) for item in project(log(*facts)).open_calls]


def test_a_call_is_open_until_its_result() -> None:
    assert open_calls(call("a"), call("b"), result("a")) == [("b", 2)]


def test_an_id_that_is_used_again_arms_a_new_call() -> None:
    assert open_calls(call("a"), result("a"), call("a")) == [("a", 3)]
    assert open_calls(call("a"), call("a"), result("a")) == [("a", 2)]
    assert open_calls(call("a"), result("a"), result("a")) == []


def test_a_pending_result_does_not_close_its_call_and_survives_the_next_model_call() -> None:
    facts = (
        call("a", message_id="m1"),
        call("b", message_id="m1"),
        result("a", "running", pending=True),
        said("on", "m2"),
    )

    assert open_calls(*facts) == [("a", 1)]
    assert open_calls(*facts, result("a")) == []


def test_a_call_that_awaits_approval_survives_the_next_model_call_and_others_do_not() -> None:
    facts = (
        call("a", message_id="m1"),
        call("b", message_id="m1"),
        ("permission.requested", {"call_id": "a"}),
        said("on", "m2"),
    )

    state = project(log(*facts))

    assert [(item.call_id, item.approval) for item in state.open_calls] == [("a", "pending")]


def test_a_grant_is_kept_with_the_call() -> None:
    state = project(
        log(call("a", "Bash", command="ls"), ("permission.resolved", {"call_id": "a", "decision": "allowed"}))
    )

    assert state.open_calls == (Call("a", "Bash", 1, approval="allowed", family="list", subject="ls"),)


def test_a_denial_closes_the_call_and_is_remembered_with_its_reason() -> None:
    state = project(
        log(call("a", "Bash", command="git push"), denied("a", "not now"), result("a", "rejected", is_error=True))
    )

    assert state.open_calls == ()
    assert state.denials == (Denial("a", "Bash git push", "not now", 2),)
    assert state.latest_failure == ""


@pytest.mark.parametrize(
    ("fact", "path"),
    [
        (call("a", "Read", file_path="/w/src/a.py"), "src/a.py"),
        (call("a", "view", path="./a.py"), "a.py"),
        (call("a", "str_replace_editor", command="view", path="a.py"), "a.py"),
        (call("a", "NotebookRead", notebook_path="n.ipynb"), "n.ipynb"),
        (call("a", "mcp__fs__read_text_file", path="a.py"), "a.py"),
        (call("a", "Bash", command="sed -n 1,20p a.py"), "a.py"),
    ],
)
def test_a_file_counts_as_read_by_whatever_tool(fact: Fact, path: str) -> None:
    created = ("session.created", {"cwd": "/w/"})

    assert project(log(created, fact, result("a"))).files == (FileState(path, read_seq=3),)
    assert project(log(created, fact, result("a", is_error=True))).files == ()


@pytest.mark.parametrize(
    ("fact", "paths"),
    [
        (call("a", "Edit", file_path="a.py"), ["a.py"]),
        (call("a", "write_to_file", path="a.py"), ["a.py"]),
        (call("a", "str_replace_editor", command="create", path="a.py"), ["a.py"]),
        (call("a", "apply_patch", input="*** Update File: a.py\n+x\n*** Add File: b.py\n"), ["a.py", "b.py"]),
        (call("a", "apply_patch", patch="--- a/a.py\n+++ b/a.py\n@@"), ["a.py"]),
    ],
)
def test_a_file_counts_as_modified_by_whatever_tool(fact: Fact, paths: list[str]) -> None:
    state = project(log(fact, result("a")))

    assert [(file.path, file.modified_seq) for file in state.files] == [(path, 2) for path in paths]


def test_a_changed_file_is_the_file_that_was_read() -> None:
    facts = (call("a", "Read", file_path="a.py"), result("a"), ("file.changed", {"path": "a.py", "sha256": "ab"}))

    assert project(log(*facts)).files == (FileState("a.py", read_seq=2, modified_seq=3, sha256="ab"),)


def test_commands_are_kept_with_their_exit_codes_given_or_written() -> None:
    facts = (
        call("a", "Bash", command="pytest"), result("a", "1 failed", exit_code=1),
        call("b", "shell", command=["bash", "-lc", "make"]), result("b", "Exit code 2\nno rule"),
        call("c", "Bash", command="true"), result("c", ""),
        ("verification.completed", {"command": "mypy", "passed": True}),
    )  # fmt: skip

    assert project(log(*facts)).commands == (
        Command("pytest", 2, 1, True),
        Command("make", 4, 2, True),
        Command("true", 6, None, False),
        Command("mypy", 7, None, False),
    )


def test_the_latest_failure_stands_until_the_same_thing_succeeds() -> None:
    failing = (call("a", "Bash", command="pytest"), result("a", "collected\nE  assert 1 == 2\n1 failed", exit_code=1))
    other = (call("b", "Bash", command="ls"), result("b", "a.py"))
    passing = (call("c", "Bash", command="pytest"), result("c", "2 passed", exit_code=0))

    failed = project(log(*failing, *other))

    assert (failed.latest_failure, failed.latest_failure_seq) == ("Bash pytest: 1 failed", 2)
    assert project(log(*failing, *other, *passing)).latest_failure == ""


def test_the_phase_follows_the_tools_until_someone_says_it() -> None:
    phases = []
    facts: list[Fact] = [user("go")]
    for fact in (
        call("a", "Grep", pattern="x"),
        call("b", "Edit", file_path="a"),
        call("c", "Read", file_path="a"),
        call("d", "Bash", command="npm test"),
        call("e", "Read", file_path="a"),
        user("next"),
        call("f", "TodoWrite", todos=[]),
        ("phase.changed", {"phase": "blocked"}),
        call("g", "Edit", file_path="a"),
        ("phase.changed", {"phase": "dreaming"}),
    ):
        facts.append(fact)
        phases.append(project(log(*facts)).phase)

    assert phases == [
        "diagnosing", "editing", "editing", "verifying", "diagnosing", "", "planning", "blocked", "blocked", "blocked",
    ]  # fmt: skip
