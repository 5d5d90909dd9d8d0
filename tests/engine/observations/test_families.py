"""Which family a tool belongs to, and what a call is about."""

from __future__ import annotations

from typing import Any

import pytest

from contextapp.engine.observations.families import call_family, call_label, command_of, paths_of, tool_family


@pytest.mark.parametrize(
    ("family", "names"),
    [
        ("read", "Read read_file view NotebookRead mcp__fs__read_text_file mcp:fs.read_text str open goto"),
        ("search", "Grep search_files search_file_content grep_search search_dir codebase_search"),
        ("list", "LS Glob list_directory list_files find_file list_dir mcp__fs__directory_tree"),
        ("command", "Bash shell execute_bash run_shell_command execute_command local_shell exec_command BashOutput"),
        (
            "edit",
            "Edit Write MultiEdit apply_patch str_replace_editor write_to_file replace_in_file replace write_file",
        ),
        ("web", "WebFetch WebSearch web_search google_web_search browser_action fetch"),
        ("test", "run_tests pytest"),
        ("other", "Task TodoWrite mcp__jira__get_issue finish think"),
    ],
)
def test_tools_of_the_known_harnesses_have_a_family(family: str, names: str) -> None:
    found = {name: tool_family(name) for name in names.split() if name != "str"}

    assert set(found.values()) == {family}, found


def test_any_name_has_a_family() -> None:
    assert tool_family("") == "other"
    assert tool_family("  BASH ") == "command"
    assert tool_family("__") == "other"


@pytest.mark.parametrize(
    ("command", "family"),
    [
        ("pytest -q", "test"),
        ("cd /w && python -m pytest tests", "test"),
        ("npm run test -- -k x", "test"),
        ("go test ./... 2>&1 | tail -5", "test"),
        ("make check", "test"),
        ("rg -n foo src", "search"),
        ("cd src && grep -r foo .", "search"),
        ("git grep foo", "search"),
        ("ls -la", "list"),
        ("find . -name '*.py'", "list"),
        ("cat a.py", "read"),
        ("sed -n 1,20p a.py", "read"),
        ("sed -i s/a/b/ a.py", "command"),
        ("cat a.py | wc -l", "command"),
        ("cat > a.py <<EOF", "command"),
        ("git push", "command"),
        ("", "command"),
    ],
)
def test_a_shell_call_counts_as_what_it_runs(command: str, family: str) -> None:
    assert call_family("Bash", {"command": command}) == family


def test_an_editor_that_views_reads() -> None:
    assert call_family("str_replace_editor", {"command": "view", "path": "a"}) == "read"
    assert call_family("str_replace_editor", {"command": "create", "path": "a"}) == "edit"


def test_a_command_is_taken_out_of_its_wrapper() -> None:
    assert command_of({"command": ["bash", "-lc", "ls | wc"]}) == "ls | wc"
    assert command_of({"cmd": ["git", "status"]}) == "git status"
    assert command_of({"command": [1, 2]}) == ""


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"file_path": " a.py "}, ("a.py",)),
        (
            {"input": "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n*** Delete File: c.py"},
            ("a.py", "b.py", "c.py"),
        ),
        ({"diff": "--- /dev/null\n+++ b/new.py\n"}, ("new.py",)),
        ({"changes": {"a.py": {}, "b.py": {}}}, ("a.py", "b.py")),
        ({"path": 5, "file": ""}, ()),
        ({}, ()),
    ],
)
def test_paths_are_found_in_fields_and_patch_headers(arguments: dict[str, Any], paths: tuple[str, ...]) -> None:
    assert paths_of(arguments) == paths


@pytest.mark.parametrize(
    ("name", "arguments", "label"),
    [
        ("Bash", {"command": "pytest -k serializer"}, "Bash pytest -k serializer"),
        ("Read", {"file_path": "/w/src/serializer.py"}, "Read serializer.py"),
        ("Grep", {"pattern": "def\n  x"}, "Grep def x"),
        ("mcp__a__b", {}, "mcp__a__b"),
        ("Bash", {"command": "x" * 200}, "Bash " + "x" * 74 + "…"),
    ],
)
def test_a_label_says_a_call_in_a_few_words(name: str, arguments: dict[str, Any], label: str) -> None:
    assert call_label(name, arguments) == label
