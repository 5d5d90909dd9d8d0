"""The export of a session as ATIF: written, noted, and imported again into another project."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from contextapp.accounts.models import AuditEntry
from contextapp.eventlog.models import Session
from tests.intake.files import bring_in, conversation, write
from tests.world import World


def test_a_session_is_written_and_the_copy_noted(world: World, tmp_path: Path) -> None:
    bring_in(world, write(tmp_path, "a.jsonl", conversation()))
    session = Session.objects.get(project=world.project)
    target = tmp_path / "out.json"

    call_command("trajectory", str(session.id), "-o", str(target), "--by", "user:alice", stdout=StringIO())

    document = json.loads(target.read_text())
    assert document["schema_version"].startswith("ATIF-v1.")
    assert [step["source"] for step in document["steps"]] == ["user", "agent", "agent"]
    entry = AuditEntry.objects.filter(action="session.exported").latest("id")
    assert (entry.actor, entry.target) == ("user:alice", f"session:{session.id}")


@pytest.mark.parametrize(("name", "said"), [("x", "'x' is not a session id"), (str(uuid4()), "There is no session")])
def test_a_session_that_is_not_there_is_named(world: World, name: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("trajectory", name, stdout=StringIO())
