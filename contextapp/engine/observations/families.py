"""One table: which tool name of which harness belongs to which family, and what a call is about. Never runs a tool."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from contextapp.engine.observations.text import head

READ, SEARCH, LIST, COMMAND, EDIT, WEB, TEST, OTHER = (
    "read", "search", "list", "command", "edit", "web", "test", "other",
)  # fmt: skip
FAMILIES = (READ, SEARCH, LIST, COMMAND, EDIT, WEB, TEST, OTHER)

# Claude Code, Codex, Gemini CLI, OpenHands, SWE-agent, Cline and Roo, Cursor, and the common MCP file servers.
_NAMES: dict[str, str] = {
    READ: "read read_file readfile view view_file open_file open cat notebookread read_many_files read_text "
    "read_text_file read_multiple_files get_file_contents fileread file_read read_mcp_resource goto scroll_down scroll_up",
    SEARCH: "grep search search_files search_file_content codebase_search ripgrep rg grep_search file_search "
    "search_dir search_file search_code searchcode find_in_files",
    LIST: "ls list list_dir listdir list_directory list_files list_allowed_directories glob find_file find_by_name "
    "directory_tree tree list_code_definition_names",
    COMMAND: "bash shell execute_bash run_shell_command execute_command local_shell local_shell_call exec_command "
    "run_command terminal run_terminal_cmd bashoutput taskoutput write_stdin execute_ipython_cell run_ipython python "
    "powershell container.exec run cmd cmdrun shell_command unified_exec execute terminaltool",
    EDIT: "edit write multiedit notebookedit apply_patch str_replace str_replace_editor str_replace_based_edit_tool "
    "edit_file write_file replace replace_in_file write_to_file create_file create insert delete_file apply_diff "
    "search_replace search_and_replace edit_notebook file_edit move_file save_file file_editor fileeditor "
    "fileeditortool insert_content undo_edit",
    WEB: "webfetch websearch web_search web_fetch google_web_search browser_action browse browser fetch url_fetch "
    "web_search_call browse_interactive fetch_url read_url read_url_content",
    TEST: "run_tests runtests test pytest test_runner run_test",
}
_TABLE = {name: family for family, names in _NAMES.items() for name in names.split()}
_PLANNING = (
    "todowrite todo_write write_todos update_plan task_tracker taskcreate taskupdate enterplanmode exitplanmode "
    "exit_plan_mode plan_mode_respond update_todo_list"
)
PLANNING = frozenset(_PLANNING.split())

_TEST_COMMAND = re.compile(
    r"(?:^|[\s/])(?:pytest|py\.test|tox|nosetests|unittest|jest|vitest|mocha|phpunit|rspec|ctest|mypy|pyright|tsc|eslint"
    r"|ruff\s+check|flake8|golangci-lint)\b"
    r"|\b(?:npm|pnpm|yarn|bun|cargo|go|dotnet|mvn|gradle|gradlew|swift|mix|make|just|deno|rake|composer|manage\.py)\s+"
    r"(?:run\s+)?(?:test|tests|check|lint|vet|clippy|verify|typecheck)\b"
)
_SEARCH_COMMAND = frozenset(("grep", "rg", "egrep", "fgrep", "ag", "ack"))
_LIST_COMMAND = frozenset(("ls", "find", "fd", "tree", "dir"))
_READ_COMMAND = frozenset(("cat", "head", "tail", "sed", "nl", "less", "more", "bat"))
_PREFIX = re.compile(r"^(?:cd\s+\S+\s*(?:&&|;)\s*|(?:[A-Z_][A-Z0-9_]*=\S*\s+)+|sudo\s+|env\s+|time\s+)+")
_JOINED = re.compile(r"[|;&><\n]")

PATH_FIELDS = (
    "file_path", "path", "notebook_path", "absolute_path", "target_file", "filename", "file", "relative_path",
    "filepath", "relative_workspace_path", "uri",
)  # fmt: skip
_COMMAND_FIELDS = ("command", "cmd", "script", "code", "keystrokes", "chars")
_PATCH_HEADER = re.compile(
    r"^(?:\*\*\* (?:Update|Add|Delete) File: (?P<a>.+)|\+\+\+ (?:b/)?(?P<b>[^\t\n]+)|\*\*\* Move to: (?P<c>.+))$", re.M
)


def tool_family(name: str) -> str:
    """The family of a tool by its name alone; MCP names (`mcp__server__tool`, `mcp:server.tool`) by their last part."""
    folded = name.strip().casefold()
    found = _TABLE.get(folded)
    if found is None:
        last = re.split(r"__|[:/.]", folded)[-1]
        found = _TABLE.get(last.replace("-", "_"))
    return found or OTHER


def call_family(name: str, arguments: Mapping[str, Any]) -> str:
    """The family of one call: a shell that runs tests, searches, lists or prints a file counts as that."""
    family = tool_family(name)
    if family == EDIT and arguments.get("command") == "view":
        return READ
    return command_family(command_of(arguments)) if family == COMMAND else family


def command_family(command: str) -> str:
    if _TEST_COMMAND.search(command[:2_000]):
        return TEST
    bare = _PREFIX.sub("", command.strip())
    if not bare or _JOINED.search(bare):
        return COMMAND
    program = bare.split(None, 1)[0].rsplit("/", 1)[-1]
    if program in _SEARCH_COMMAND or bare.startswith("git grep "):
        return SEARCH
    if program in _LIST_COMMAND or bare.startswith("git ls-files"):
        return LIST
    if program in _READ_COMMAND and " -i" not in bare:
        return READ
    return COMMAND


def command_of(arguments: Mapping[str, Any]) -> str:
    """The command line of a call; a `bash -lc` wrapper is taken off."""
    for name in _COMMAND_FIELDS:
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, Sequence) and value and all(isinstance(part, str) for part in value):
            words = [str(part) for part in value]
            is_wrapped = (
                len(words) == 3 and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and words[1] in ("-lc", "-c")
            )
            return words[2] if is_wrapped else " ".join(words)
    return ""


def paths_of(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The files a call names: by field, else by the headers of a patch."""
    for name in PATH_FIELDS:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip() and "\n" not in value:
            return (value.strip(),)
    found: dict[str, None] = {}
    for name in ("patch", "input", "diff", "command", "changes"):
        value = arguments.get(name)
        if isinstance(value, str):
            for match in _PATCH_HEADER.finditer(value[:200_000]):
                found[(match["a"] or match["b"] or match["c"]).strip()] = None
        elif isinstance(value, Mapping) and name == "changes":
            found.update(dict.fromkeys(path for path in value if isinstance(path, str)))
    found.pop("/dev/null", None)
    return tuple(found)[:20]


def path_of_command(command: str) -> tuple[str, ...]:
    """The file that a plain `cat FILE` or `sed -n 1,9p FILE` prints."""
    words = _PREFIX.sub("", command.strip()).split()
    named = [word.strip("'\"") for word in words[1:] if not word.startswith("-")]
    return (named[-1],) if named and not _JOINED.search(command) else ()


def call_label(name: str, arguments: Mapping[str, Any], limit: int = 80) -> str:
    """What a call is, in a few words: `Bash pytest -k serializer`, `Read serializer.py`."""
    family = tool_family(name)
    about = ""
    if family in (COMMAND, TEST):
        about = command_of(arguments)
    if not about:
        about = (
            ", ".join(path.rstrip("/").rsplit("/", 1)[-1] for path in paths_of(arguments))
            if family in (READ, EDIT)
            else ""
        )
    if not about:
        for field in ("pattern", "query", "regex", "url", "path", "description", "prompt", "subject", "name"):
            value = arguments.get(field)
            if isinstance(value, str) and value.strip():
                about = value
                break
    shown = " ".join(f"{name} {about}".split())
    return shown if len(shown) <= limit else head(shown, limit - 1) + "…"
