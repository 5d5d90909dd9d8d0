"""Calls, results, refusals and changes."""

from __future__ import annotations

import json

import pytest

from tests.importers.codex.rollouts import call, event, head, item, read_rollout, result
from tests.importers.parsing import of_type, outcomes, types_of

PATCHED = "Success. Updated the following files:\nA docs/new.md\nM src/a b.py\nD old.py\n"


def test_arguments_are_json_in_a_string_or_kept_as_they_are() -> None:
    lines = read_rollout(head(), call("c1"), call("c2", arguments='{"cmd": "un'), call("c3", arguments=""))

    assert [found["input"] for found in of_type(lines, "tool.requested")] == [
        {"cmd": "ls"},
        {"_raw": '{"cmd": "un'},
        {},
    ]


def test_a_custom_tool_keeps_its_text() -> None:
    patch = item("custom_tool_call", name="apply_patch", call_id="c1", input="*** Begin Patch")

    lines = read_rollout(head(), patch, item("custom_tool_call_output", call_id="c1", output=PATCHED))

    assert of_type(lines, "tool.requested")[0]["input"] == {"input": "*** Begin Patch"}
    assert of_type(lines, "tool.completed")[0]["name"] == "apply_patch"
    assert [(found["path"], found["operation"]) for found in of_type(lines, "file.changed")] == [
        ("docs/new.md", "created"),
        ("src/a b.py", "edited"),
        ("old.py", "deleted"),
    ]


def test_files_are_told_once_when_an_event_lists_them_too() -> None:
    lines = read_rollout(
        head(),
        item("custom_tool_call", name="apply_patch", call_id="c1", input="*** Begin Patch"),
        event(
            "patch_apply_end",
            call_id="c1",
            success=True,
            changes={"/w/a.py": {"type": "update", "move_path": "/w/b.py"}},
        ),
        item(
            "custom_tool_call_output",
            call_id="c1",
            output=json.dumps({"output": PATCHED, "metadata": {"exit_code": 0}}),
        ),
    )

    assert [(found["path"], found["operation"]) for found in of_type(lines, "file.changed")] == [
        ("/w/a.py", "deleted"),
        ("/w/b.py", "created"),
    ]


def test_the_list_of_files_is_read_inside_json_too() -> None:
    lines = read_rollout(
        head(),
        item("custom_tool_call", name="apply_patch", call_id="c1", input="*** Begin Patch"),
        item(
            "custom_tool_call_output",
            call_id="c1",
            output=json.dumps({"output": PATCHED, "metadata": {"exit_code": 0}}),
        ),
    )

    assert [found["path"] for found in of_type(lines, "file.changed")] == ["docs/new.md", "src/a b.py", "old.py"]


@pytest.mark.parametrize(
    ("output", "exit_code", "is_error"),
    [
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nProcess exited with code 7", 0, False),
        ("Chunk ID: 1\nProcess exited with code 2\nOriginal token count: 3\nOutput:\nno", 2, True),
        (json.dumps({"output": "no", "metadata": {"exit_code": 1, "duration_seconds": 0.1}}), 1, True),
        ("Exit code: 3\nWall time: 1 s\nOutput:\nno", 3, True),
        ("it says Process exited with code 9", None, False),
        ({"content": "no", "success": False}, None, True),
        ([{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}], None, False),
    ],
)
def test_the_exit_code_is_what_codex_says_before_the_output(
    output: object, exit_code: int | None, is_error: bool
) -> None:
    lines = read_rollout(head(), call("c1"), result("c1", output))

    found = of_type(lines, "tool.completed")[0]
    assert (found.get("exit_code"), found["is_error"]) == (exit_code, is_error)


def test_a_result_is_kept_as_the_model_saw_it() -> None:
    text = json.dumps({"output": "a\0b", "metadata": {"exit_code": 0}})

    lines = read_rollout(head(), call("c1"), result("c1", text))

    assert of_type(lines, "tool.completed")[0]["content"] == text


@pytest.mark.parametrize(
    ("words", "by"),
    [
        ("exec command rejected by user", "person"),
        ("patch rejected by user", "person"),
        ("user rejected MCP tool call", "person"),
        ("patch rejected: writing outside of the project; rejected by user approval settings", "rule"),
        ("exec command rejected: blocked by policy", "rule"),
        ("This action was rejected due to unacceptable risk.\nIt deletes.", "rule"),
    ],
)
def test_a_refusal_is_a_permission_denied_by_a_person_or_a_rule(words: str, by: str) -> None:
    lines = read_rollout(head(), call("c1"), result("c1", words))

    denial = of_type(lines, "permission.resolved")[0]
    assert (denial["call_id"], denial["decision"], denial["by"], denial["explicit"]) == ("c1", "denied", by, True)
    assert denial["reason"] == words.split("\n")[0]
    assert of_type(lines, "tool.completed")[0]["is_error"]


def test_output_that_speaks_of_a_refusal_is_none() -> None:
    lines = read_rollout(head(), call("c1"), result("c1", "Process exited with code 0\nOutput:\nrejected by user"))

    assert of_type(lines, "permission.resolved") == []


def test_no_grant_is_inferred_from_a_result() -> None:
    assert "permission.resolved" not in types_of(read_rollout(head(), call("c1"), result("c1")))


@pytest.mark.parametrize(
    ("output", "total"),
    [("start…120 chars truncated…end", 29 + 120), ("start…12 tokens truncated…end", None)],
)
def test_a_cut_result_says_how_much_was_there(output: str, total: int | None) -> None:
    lines = read_rollout(head(), call("c1"), result("c1", output))

    assert of_type(lines, "tool.completed")[0]["cut"] == {"shown_chars": len(output), "total_chars": total}


def test_the_plan_is_updated_when_the_tool_has_answered() -> None:
    plan = json.dumps({"plan": [{"step": "Read", "status": "completed"}, {"step": "Write", "status": "pending"}]})

    lines = read_rollout(head(), call("c1", "update_plan", plan), result("c1", "Plan updated"))

    assert of_type(lines, "plan.updated")[0]["items"] == [
        {"text": "Read", "status": "completed"},
        {"text": "Write", "status": "pending"},
    ]


def test_a_call_without_a_result_stays_open() -> None:
    search = item("web_search_call", status="completed", action={"type": "search", "query": "uuid7"})

    lines = read_rollout(head(), call("c1"), search)

    assert [found["name"] for found in of_type(lines, "tool.requested")] == ["exec_command", "web_search"]
    assert of_type(lines, "tool.completed") == []


def test_what_events_say_of_a_call_is_folded() -> None:
    lines = read_rollout(
        head(),
        call("c1"),
        event("exec_command_end", call_id="c1", exit_code=0),
        event("mcp_tool_call_end", call_id="e"),
    )

    assert outcomes(lines)[2:] == [("folded", "repeated")] * 2


def test_tools_that_come_later_are_added() -> None:
    lines = read_rollout(head(), item("additional_tools", tools=[{"type": "function", "name": "remind"}]))

    assert of_type(lines, "tools.available") == [{"tools": [{"name": "remind", "description": ""}], "mode": "add"}]


def test_a_plan_that_no_item_holds_is_for_people() -> None:
    lines = read_rollout(
        head(), event("item_completed", item={"type": "Plan", "id": "p", "text": "1. Read"}), event("item_completed")
    )

    assert [(draft.type, draft.visibility) for draft in lines[1].drafts] == [("resource.included", "ui")]
    assert outcomes(lines)[2] == ("folded", "repeated")
