"""What is found on a real disk, however files are linked, spelled or broken. Needs no database."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from contextapp.client.discovery import discover_instructions
from contextapp.client.instruction_files import WARNINGS


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    (made / "web" / "cart").mkdir(parents=True)
    return made


def write(path: Path, text: str | bytes = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def brief(root: Path, payloads: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    """(level, path below the root, text, warning)."""
    assert all(payload["warning"] in WARNINGS | {""} for payload in payloads)
    assert len({payload["id"] for payload in payloads}) == len(payloads)
    return [
        (payload["level"], os.path.relpath(payload["path"], root), payload["text"], payload["warning"])
        for payload in payloads
    ]


def test_every_name_is_taken_from_the_root_down_to_the_working_directory(root: Path) -> None:
    for name in ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md", "README.md"):
        write(root / name, f"root {name}")
        write(root / "web" / name, f"web {name}")
    write(root / "web" / "cart" / "AGENTS.md", "cart")
    write(root / "other" / "AGENTS.md", "elsewhere")

    found = discover_instructions(root, root / "web" / "cart")

    assert [(level, path) for level, path, _, _ in brief(root, found)] == [
        ("project", "AGENTS.override.md"),
        ("project", "AGENTS.md"),
        ("project", "CLAUDE.md"),
        ("project", "README.md"),
        ("directory", "web/AGENTS.override.md"),
        ("directory", "web/AGENTS.md"),
        ("directory", "web/CLAUDE.md"),
        ("directory", "web/cart/AGENTS.md"),
    ]
    assert found[-1]["scope"] == str(root / "web" / "cart")


def test_directories_of_changed_files_count_too_and_files_elsewhere_do_not(root: Path) -> None:
    write(root / "api" / "AGENTS.md", "api")
    write(root.parent / "AGENTS.md", "outside")

    found = discover_instructions(root, root, ["api/v1/views.py", root.parent / "x.py", "../y.py", "a\0b"])

    assert brief(root, found) == [("directory", "api/AGENTS.md", "api", "")]


def test_the_users_own_file_comes_first_and_may_lie_anywhere(root: Path, tmp_path: Path) -> None:
    kept = write(tmp_path / "dotfiles" / "agents", "mine")
    (tmp_path / "AGENTS.md").symlink_to(kept)
    write(root / "AGENTS.md", "ours")

    found = discover_instructions(root, user_file=tmp_path / "AGENTS.md")

    assert [(payload["level"], payload["text"]) for payload in found] == [("global", "mine"), ("project", "ours")]
    assert discover_instructions(root, user_file=tmp_path / "none.md") == found[1:]


def test_a_root_or_working_directory_that_is_none_is_refused_with_its_value(root: Path) -> None:
    with pytest.raises(ValueError, match=r"root '.*nowhere' is not a directory"):
        discover_instructions(root / "nowhere")
    with pytest.raises(ValueError, match="is not below the root"):
        discover_instructions(root, root.parent)


def test_case_100_invalid_bytes_are_replaced_and_said(root: Path) -> None:
    write(root / "AGENTS.md", b"Never push.\n\xff\xfeX \xc3(\n")

    found = discover_instructions(root)

    assert brief(root, found) == [("project", "AGENTS.md", "Never push.\n��X �(\n", "invalid_utf8")]


def test_case_101_a_byte_order_mark_and_other_line_ends_are_gone(root: Path) -> None:
    write(root / "AGENTS.md", b"\xef\xbb\xbf---\r\ndefault_action: block\r\n---\rx")
    write(root / "CLAUDE.md", "16 位\r\n".encode("utf-16"))

    found = discover_instructions(root)

    assert [payload["text"] for payload in found] == ["---\ndefault_action: block\n---\nx", "16 位\n"]


@pytest.mark.parametrize("make", ["symlink_to", "hardlink_to"])
def test_case_102_one_file_under_two_names_is_given_once(root: Path, make: str) -> None:
    write(root / "AGENTS.md", "rules")
    getattr(root / "CLAUDE.md", make)(root / "AGENTS.md")

    found = discover_instructions(root)

    assert brief(root, found) == [("project", "AGENTS.md", "rules", ""), ("project", "CLAUDE.md", "", "same_file")]
    assert found[0]["sha256"] == found[1]["sha256"]


def test_case_102_a_second_spelling_of_the_folder_is_no_second_folder(root: Path) -> None:
    write(root / "web" / "AGENTS.md", "web")
    (root / "site").symlink_to(root / "web")

    found = discover_instructions(root, root / "site", ["web/../site/a.ts", "./web/b.ts"])

    assert brief(root, found) == [("directory", "web/AGENTS.md", "web", "")]


def test_case_105_broken_and_looping_links_are_rows_and_the_others_still_count(root: Path) -> None:
    (root / "AGENTS.override.md").symlink_to(root / "gone.md")
    (root / "AGENTS.md").symlink_to(root / "CLAUDE.md")
    (root / "CLAUDE.md").symlink_to(root / "AGENTS.md")
    write(root / "README.md", "hello")

    found = brief(root, discover_instructions(root))

    assert [(path, warning) for _, path, _, warning in found] == [
        ("AGENTS.override.md", "broken_link"),
        ("AGENTS.md", "link_loop"),
        ("CLAUDE.md", "link_loop"),
        ("README.md", ""),
    ]


def test_case_106_what_leads_out_of_the_root_is_refused(root: Path) -> None:
    write(root.parent / "secret.md", "secret")
    (root / "AGENTS.md").symlink_to("../secret.md")
    write(root / "CLAUDE.md", "See ../secret.md\n")
    (root / "web" / "cart" / "AGENTS.md").symlink_to(root.parent / "shop" / "web")

    found = discover_instructions(root, root / "web" / "cart")

    assert [(path, text, warning) for _, path, text, warning in brief(root, found)] == [
        ("AGENTS.md", "", "outside_root"),
        ("CLAUDE.md", "", "outside_root"),
        ("web/cart/AGENTS.md", "", "not_a_file"),
    ]


def test_case_106_a_name_inside_a_longer_text_or_a_code_block_is_literal(root: Path) -> None:
    text = "Read this:\n```\n@docs/rules.md\n```\nSee docs/rules.md for more.\n"
    write(root / "AGENTS.md", text)
    write(root / "docs" / "rules.md", "never loaded")

    found = discover_instructions(root)

    assert brief(root, found) == [("project", "AGENTS.md", text, "")]


@pytest.mark.parametrize(
    "line",
    ["See docs/rules.md", "@docs/rules.md", "docs/rules.md", "./docs/rules.md\n", "Read `docs/rules.md`.",
     "请参阅 docs/rules.md。", "See [the rules](docs/rules.md)", "\n\n  see: docs/rules.md  \n"],
)  # fmt: skip
def test_a_file_whose_only_line_names_another_gives_that_one(root: Path, line: str) -> None:
    write(root / "AGENTS.md", line)
    write(root / "CLAUDE.md", line)
    write(root / "docs" / "rules.md", "rules")

    found = discover_instructions(root)

    assert brief(root, found) == [
        ("project", "AGENTS.md", "", "pointer"),
        ("project", "docs/rules.md", "rules", ""),
        ("project", "CLAUDE.md", "", "pointer"),
    ]
    assert found[0]["points_to"] == str(root / "docs" / "rules.md")


def test_a_pointer_to_a_file_of_the_same_folder_leaves_that_file_one(root: Path) -> None:
    write(root / "AGENTS.md", "CLAUDE.md")
    write(root / "CLAUDE.md", "rules")
    write(root / "web" / "AGENTS.md", "See ../CLAUDE.md")

    found = discover_instructions(root, root / "web")

    assert brief(root, found) == [
        ("project", "AGENTS.md", "", "pointer"),
        ("project", "CLAUDE.md", "rules", ""),
        ("directory", "web/AGENTS.md", "", "pointer"),
    ]


def test_the_pointed_file_speaks_for_the_folder_of_the_pointer(root: Path) -> None:
    write(root / "web" / "AGENTS.md", "See ../docs/web.md")
    write(root / "docs" / "web.md", "rules of the web")

    found = discover_instructions(root, root / "web")[1]

    assert (found["level"], found["path"], found["scope"]) == (
        "directory", str(root / "docs" / "web.md"), str(root / "web"),
    )  # fmt: skip


@pytest.mark.parametrize("line", ["See docs/gone.md", "Use spaces.", "Be kind", "https://example.org/rules.md"])
def test_a_line_that_names_no_file_is_an_instruction(root: Path, line: str) -> None:
    write(root / "AGENTS.md", line)

    assert brief(root, discover_instructions(root)) == [("project", "AGENTS.md", line, "")]


def test_pointers_in_a_circle_end(root: Path) -> None:
    write(root / "AGENTS.md", "CLAUDE.md")
    write(root / "CLAUDE.md", "AGENTS.md")
    for number in range(9):
        write(root / "web" / f"{number}.md", f"{number + 1}.md")
    write(root / "web" / "AGENTS.md", "0.md")
    write(root / "web" / "9.md", "too deep")

    found = brief(root, discover_instructions(root, root / "web"))

    assert [(path, warning) for _, path, _, warning in found[:2]] == [
        ("AGENTS.md", "pointer"), ("CLAUDE.md", "link_loop"),
    ]  # fmt: skip
    assert found[-1][3] == "link_loop"
    assert all(text == "" for _, _, text, _ in found)


def test_folders_pipes_and_sockets_of_that_name_hold_nothing_up(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "AGENTS.md").mkdir()
    os.mkfifo(root / "CLAUDE.md")
    monkeypatch.chdir(root)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("README.md")

        found = discover_instructions(root)

    assert [warning for _, _, _, warning in brief(root, found)] == ["not_a_file"] * 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_one_row(root: Path) -> None:
    write(root / "AGENTS.md", "x").chmod(0)
    write(root / "CLAUDE.md", "read")

    found = discover_instructions(root)

    assert [(text, warning) for _, _, text, warning in brief(root, found)] == [("", "unreadable"), ("read", "")]


def test_an_unreadable_file_is_told_from_a_missing_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root / "AGENTS.md", "x")
    write(root / "CLAUDE.md", "read")
    real_open = os.open

    def refuse(path: Any, *arguments: Any, **named: Any) -> int:
        if path == "AGENTS.md":
            raise PermissionError(13, "Permission denied", path)
        return real_open(path, *arguments, **named)

    monkeypatch.setattr(os, "open", refuse)

    found = discover_instructions(root)

    assert [(text, warning) for _, _, text, warning in brief(root, found)] == [("", "unreadable"), ("read", "")]


def test_a_link_put_in_place_after_the_path_was_resolved_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = write(root.parent / "secret.md", "secret")
    (root / "AGENTS.md").symlink_to(secret)
    monkeypatch.setattr(os.path, "realpath", lambda path, strict=False: str(path))

    found = discover_instructions(root)

    assert [(payload["text"], payload["warning"]) for payload in found] == [("", "not_a_file")]


def test_a_file_over_the_size_cap_is_not_read(root: Path) -> None:
    write(root / "AGENTS.md", "x" * 101)
    write(root / "CLAUDE.md", b"\xff" * 60)
    write(root / "README.md", "x" * 100)

    found = discover_instructions(root, most_bytes=100)

    assert [warning for _, _, _, warning in brief(root, found)] == ["too_large", "too_large", ""]


def test_an_emptied_file_is_given_so_that_its_rules_go(root: Path) -> None:
    write(root / "AGENTS.md")

    assert brief(root, discover_instructions(root)) == [("project", "AGENTS.md", "", "")]
