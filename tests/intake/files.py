"""Writes transcripts to disk and imports them, for the tests of the intake. Knows no expected result."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from contextapp.eventlog.models import Event, Session
from contextapp.eventlog.selectors import get_events
from contextapp.intake.models import Import
from contextapp.intake.services import run_import, start_import
from tests.importers.parsing import assistant, call, result, to_lines, user
from tests.world import World

TEXT = {"type": "text", "text": "I will look at the parser."}
OTHER = "99999999-8888-4777-8666-555555555555"


def conversation(**rest: Any) -> bytes:
    """A prompt, a call and its result, an answer: eight events in four lines."""
    return to_lines(
        user("Fix the parser", 1, **rest),
        call("c1", command="pytest") | rest,
        result("c1", "1 failed", 3, **rest),
        assistant(TEXT, 4, message_id="msg_2", **rest),
    )


def chat(*contents: str) -> bytes:
    roles = ("user", "assistant")
    return json.dumps([{"role": roles[n % 2], "content": text} for n, text in enumerate(contents)]).encode()


def write(folder: Path, name: str, body: bytes, *, modified: float | None = None) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    if modified is not None:
        os.utime(path, (modified, modified))
    return path


def bring_in(world: World, *paths: Path, **choice: Any) -> Import:
    batch = start_import(
        project=world.project,
        paths=[str(path) for path in paths],
        requested_by="user:alice",
        in_background=False,
        **choice,
    )
    return run_import(batch.id)


def sessions(world: World) -> list[Session]:
    return list(Session.objects.filter(project=world.project, erased_at=None).order_by("external_id"))


def stored(session: Session) -> list[tuple[str, str, dict[str, Any]]]:
    return [(event.event_id, event.type, dict(event.payload)) for event in get_events(session.id)]


def event_count() -> int:
    return Event.objects.count()
