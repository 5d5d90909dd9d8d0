"""A conversation with a file for each event: one session, its events in the order of their numbers."""

from __future__ import annotations

import json
from pathlib import Path

from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import get_events
from tests.importers.parsing import to_lines
from tests.importers.test_atif import ASK as STEP
from tests.importers.test_atif import DONE, SEARCHES, run
from tests.importers.test_openhands_v1 import ACT, ASK, SAW
from tests.intake.files import bring_in, write
from tests.world import World


def test_pieces_of_a_conversation_come_in_the_order_of_their_numbers(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "0123456789abcdef0123456789abcdef"
    state = {"id": "x", "agent": {"llm": {"model": "gpt-x"}}, "workspace": {"working_dir": "/repo"}}
    for number, event in ((10, SAW), (2, ACT), (1, ASK)):  # the oldest file has the highest number
        body = json.dumps(event).encode()
        write(folder, f"events/event-{number}-{event['id']}.json", body, modified=2_000_000 - number)
    write(folder, "base_state.json", json.dumps(state).encode(), modified=1_000_000)

    bring_in(world, tmp_path)

    session = Session.objects.get(project=world.project)
    assert (session.external_id, session.model) == (f"openhands_v1:{folder.name}", "gpt-x")
    told = [event.type for event in get_events(session_id=session.id)]
    assert told == [
        "session.created", "turn.started", "user.message", "resource.included", "model.thinking", "model.message",
        "tool.requested", "tool.completed",
    ]  # fmt: skip


def test_two_snapshots_of_a_session_in_one_file_are_one_session(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "runs.jsonl", to_lines(run(STEP, SEARCHES), run(STEP, SEARCHES, DONE)))

    batch = bring_in(world, path)

    session = Session.objects.get(project=world.project)
    told = [event.event_id for event in get_events(session_id=session.id)]
    assert len(told) == len(set(told)) == session.event_count
    assert [file.error for file in batch.files.all()] == [""]
