"""Claude Code: calls, results, refusals and what they changed."""

from __future__ import annotations

import pytest

from tests.importers.parsing import assistant, call, events_of, of_type, read, record, result, to_lines, types_of, user

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse the other branch"
)


def test_a_call_and_its_result_name_each_other() -> None:
    lines = read(to_lines(call("c1", command="ls"), result("c1", "a.py")))

    assert of_type(lines, "tool.requested")[0]["input"] == {"command": "ls"}
    assert of_type(lines, "tool.completed") == [{"call_id": "c1", "content": "a.py", "is_error": False, "name": "Bash"}]


def test_a_refusal_is_a_decision_beside_the_failed_result() -> None:
    lines = read(to_lines(call("c1"), result("c1", REFUSED, is_error=True)))

    assert of_type(lines, "permission.resolved") == [
        {"call_id": "c1", "decision": "denied", "reason": "use the other branch", "by": "person", "explicit": True}
    ]
    assert of_type(lines, "tool.completed")[0]["content"] == REFUSED
    assert types_of(lines)[-2:] == ["tool.completed", "permission.resolved"]


def test_a_refusal_without_a_word_from_the_person_quotes_the_harness() -> None:
    silent = REFUSED.split(" (eg.")[0]

    decision = of_type(read(to_lines(call("c1"), result("c1", silent, is_error=True))), "permission.resolved")[0]

    assert decision["reason"] == "The user doesn't want to proceed with this tool use."


@pytest.mark.parametrize(
    ("content", "by", "explicit"),
    [
        ("Claude requested permissions to write to /x, but you haven't granted it yet.", "mode", False),
        ("Permission to use Bash with command rm -rf / has been denied.", "rule", True),
        ("PreToolUse:Bash hook error: no", "rule", True),
    ],
)
def test_who_refused_is_read_from_the_words(content: str, by: str, explicit: bool) -> None:
    decision = of_type(read(to_lines(call("c1"), result("c1", content, is_error=True))), "permission.resolved")[0]

    assert (decision["by"], decision["explicit"]) == (by, explicit)


def test_the_words_of_a_refusal_in_a_file_that_was_read_are_no_refusal() -> None:
    lines = read(to_lines(call("c1", "Read"), result("c1", "note: " + REFUSED, is_error=False)))

    assert "permission.resolved" not in types_of(lines)


@pytest.mark.parametrize(
    ("content", "copy", "is_error", "expected"),
    [
        ("Exit code 2\nboom", "Error: Exit code 2\nboom", True, 2),
        ("ok", {"stdout": "ok", "stderr": "", "interrupted": False}, False, 0),
        ("", {"stdout": "", "interrupted": False, "returnCodeInterpretation": "No matches found"}, False, None),
        ("started", {"stdout": "", "interrupted": False, "backgroundTaskId": "b1"}, False, None),
        ("oops", "Error: oops", True, None),
    ],
)
def test_exit_codes_are_told_where_the_record_tells_them(
    content: str, copy: object, is_error: bool, expected: int | None
) -> None:
    completed = of_type(
        read(to_lines(call("c1"), result("c1", content, is_error=is_error, toolUseResult=copy))), "tool.completed"
    )[0]

    assert completed.get("exit_code") == expected


def test_a_partial_read_says_which_lines_of_how_many() -> None:
    file = {"filePath": "/a.py", "content": "x", "startLine": 11, "numLines": 20, "totalLines": 500}

    lines = read(to_lines(call("c1", "Read"), result("c1", "x", toolUseResult={"type": "text", "file": file})))

    assert of_type(lines, "tool.completed")[0]["read_range"] == {
        "first_line": 11,
        "last_line": 30,
        "total_lines": 500,
    }


def test_output_that_was_put_on_disk_says_how_much_is_shown() -> None:
    text = "<persisted-output>\nOutput too large (64KB). Full output saved to: /x\n\nPreview (first 2KB):\nabc"

    completed = of_type(read(to_lines(call("c1"), result("c1", text))), "tool.completed")[0]

    assert completed["cut"] == {"shown_chars": len(text), "total_chars": 65536}


def test_an_edit_changes_a_file_and_drops_the_copy_of_the_whole() -> None:
    copy = {"filePath": "/a.py", "oldString": "x", "newString": "y", "originalFile": "SECRET", "structuredPatch": []}

    lines = read(to_lines(call("c1", "Edit", file_path="/a.py"), result("c1", "done", toolUseResult=copy)))

    assert of_type(lines, "file.changed") == [{"path": "/a.py", "operation": "edited", "call_id": "c1"}]
    assert "SECRET" not in repr(events_of(lines))


@pytest.mark.parametrize(
    ("copy", "operation"),
    [({"type": "create", "filePath": "/n.py", "content": "", "structuredPatch": []}, "created"), (None, "created")],
)
def test_a_written_file_is_created_with_and_without_a_structured_copy(copy: object, operation: str) -> None:
    answer = result("c1", "File created successfully at: /n.py", toolUseResult=copy)

    lines = read(to_lines(call("c1", "Write", file_path="/n.py"), answer))

    assert of_type(lines, "file.changed") == [{"path": "/n.py", "operation": operation, "call_id": "c1"}]


def test_a_failed_edit_changes_nothing() -> None:
    lines = read(to_lines(call("c1", "Edit", file_path="/a.py"), result("c1", "not found", is_error=True)))

    assert "file.changed" not in types_of(lines)


def test_the_to_do_list_is_the_plan() -> None:
    copy = {"oldTodos": [], "newTodos": [{"content": "read", "status": "completed"}, {"content": "fix", "status": "x"}]}

    lines = read(to_lines(call("c1", "TodoWrite"), result("c1", "ok", toolUseResult=copy)))

    assert of_type(lines, "plan.updated") == [
        {"items": [{"text": "read", "status": "completed"}, {"text": "fix", "status": "x"}]}
    ]


def test_calls_without_ids_are_paired_in_order() -> None:
    nameless = {"type": "tool_use", "name": "bash", "input": {}}
    answer = user([{"type": "tool_result", "content": "a"}], 3)

    lines = read(to_lines(assistant(nameless, 2), answer))

    assert of_type(lines, "tool.completed")[0]["call_id"] == of_type(lines, "tool.requested")[0]["call_id"]


def test_records_of_calls_from_before_version_two_are_read() -> None:
    asked = record("tool_use", 1, name="bash", input={"command": "ls"})
    answered = record("tool_result", 2, name="bash", output="a.py")

    lines = read(to_lines(asked, answered))

    completed = of_type(lines, "tool.completed")[0]
    assert (completed["call_id"], completed["content"], completed["name"]) == ("record-1", "a.py", "bash")


def test_pictures_and_references_in_a_result_are_told_apart_from_its_text() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    parts = [{"type": "text", "text": "seen"}, picture, {"type": "tool_reference", "tool_name": "WebFetch"}]

    completed = of_type(read(to_lines(call("c1"), result("c1", parts))), "tool.completed")[0]

    assert completed["content"] == "seen\n[tool reference: WebFetch]"
    assert completed["media"][0]["media_type"] == "image/png"
