"""Memory files that people have become candidates, statement by statement; what can't be taken is named with its line."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from contextapp.memory.files import UnreadableFile, read
from contextapp.memory.models import MemoryRevision
from contextapp.memory.services import export_memory, import_memory
from tests.memory.records import approved, candidate
from tests.world import World

RULES = """\
# Rules
- Never push to main.
- Use two spaces
  in YAML files.
```
- no statement
```
## People
1. 用户喜欢简短的回答。
"""


def test_bullets_are_read_with_their_lines_and_headings() -> None:
    found = [(entry.line, entry.kind, entry.claim, entry.heading) for entry in read(RULES)]

    assert found == [
        (2, "constraint", "Never push to main.", "Rules"),
        (3, "fact", "Use two spaces in YAML files.", "Rules"),
        (9, "preference", "用户喜欢简短的回答。", "People"),
    ]


@pytest.mark.parametrize("name", ["results", "memories", None])
def test_an_export_of_mem0_is_read_in_each_of_its_shapes(name: str | None) -> None:
    entries = [{"id": "1", "memory": "Prefers dark mode", "user_id": "lin", "created_at": "2026-01-01"}, {"other": 1}]

    [found] = read(json.dumps(entries if name is None else {name: entries}))

    assert (found.claim, found.kind, found.user) == ("Prefers dark mode", "preference", "lin")


@pytest.mark.parametrize("text", ["", "no list here", "{not json", '{"a": 1}'])
def test_a_file_without_statements_says_what_is_understood(text: str) -> None:
    with pytest.raises(UnreadableFile, match="mem0|JSON"):
        read(text)


def test_each_statement_waits_and_a_second_import_makes_nothing_new(world: World) -> None:
    text = RULES + "- token ghp_" + "a1" * 18 + "\n"
    given = {
        "project": world.project,
        "text": text,
        "name": "CLAUDE.md",
        "scope": "workspace",
        "scope_key": "/srv/shop",
    }

    first = import_memory(**given, proposed_by="user:alice")  # type: ignore[arg-type]  # fields of one call
    second = import_memory(**given, proposed_by="user:alice")  # type: ignore[arg-type]

    assert (first.statements, first.created, [line for line, _why in first.refusals]) == (4, 3, [10])
    assert (second.created, second.known) == (0, 3)
    records = MemoryRevision.objects.all()
    assert {record.state for record in records} == {"candidate"}
    assert {record.confidence_basis for record in records} == {"imported"}
    assert "CLAUDE.md:2 (Rules)" in {record.source for record in records}


def test_the_command_tells_what_became_of_the_file(world: World, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text(RULES, encoding="utf-8")
    out = StringIO()

    call_command("memory", "import", str(path), "--project", world.project.slug, "--json", stdout=out)

    assert json.loads(out.getvalue())["created"] == 3
    assert MemoryRevision.objects.first().scope_key == str(tmp_path)  # type: ignore[union-attr]  # three were made
    with pytest.raises(CommandError, match="can't be read"):
        call_command("memory", "import", str(tmp_path / "none"), "--project", world.project.slug)


def test_the_export_holds_approved_records_with_who_decided(world: World) -> None:
    approved(world, candidate(world))
    candidate(world, claim="Another one.")

    [entry] = export_memory(project_id=world.project.id)

    assert (entry["claim"], entry["state"], entry["decided_by"]) == (
        "Tests run with make test.",
        "approved",
        "user:bob",
    )
