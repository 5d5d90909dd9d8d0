"""`manage.py import`: what it prints, and when it fails."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from contextapp.intake.models import Import
from tests.intake.files import conversation, write
from tests.world import World


def run(*arguments: str) -> str:
    output = io.StringIO()
    call_command("import", *arguments, "--project", "wonderland", stdout=output)
    return output.getvalue()


def run_json(*arguments: str) -> dict[str, Any]:
    return dict(json.loads(run(*arguments, "--json")))


def test_json_accounts_for_every_line(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", conversation() + b"\nbroken\n")

    told = run_json(str(path))

    assert told["lines"] == {"total": 6, "produced": 4, "folded": 1, "quarantined": 1}
    assert (told["files"], told["sessions"], told["turns"], told["steps"]) == (1, 1, 1, 2)
    assert told["events"] == told["events_new"] == 8
    assert told["seconds"] > 0
    assert [(line["line"], line["reason"]) for line in told["quarantined"]] == [(6, "bad_json")]


def test_the_table_names_file_format_and_totals(world: World, tmp_path: Path) -> None:
    said = run(str(write(tmp_path, "a.jsonl", conversation())))

    heading, row, totals = said.strip().splitlines()
    assert "quarantined" in heading and "claude_code 2.1.120" in row and totals.startswith("1 files, 0 failed")


def test_a_failed_file_fails_the_command_after_the_others(world: World, tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", conversation())
    write(tmp_path, "b.jsonl", b"")

    with pytest.raises(SystemExit, match="1"):
        run(str(tmp_path))

    assert [file.state for file in Import.objects.get().files.order_by("path")] == ["done", "failed"]


def test_standard_input_is_a_file(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(conversation())))

    assert run_json("-")["lines"]["total"] == 4


def test_in_the_background_it_only_writes_the_work_down(world: World, tmp_path: Path) -> None:
    said = run(str(write(tmp_path, "a.jsonl", conversation())), "--background")

    batch = Import.objects.get()
    assert str(batch.id) in said
    assert batch.state == "queued"


@pytest.mark.parametrize("arguments", [["--since", "soon", "x.jsonl"], ["/nowhere/at/*.jsonl"], ["-", "a.jsonl"]])
def test_what_can_not_be_meant_is_refused_in_words(world: World, arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        run(*arguments)


def test_an_unknown_project_is_answered_with_the_known_ones(world: World) -> None:
    with pytest.raises(CommandError, match="elsewhere, wonderland"):
        call_command("import", "x.jsonl", "--project", "nowhere")
