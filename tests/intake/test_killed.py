"""An import whose process is killed in the middle: what is there is whole, and running it again ends in the same events."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from contextapp.accounts.models import Project
from contextapp.config.local.places import PROJECT
from contextapp.eventlog.models import Event, Session
from contextapp.eventlog.services import verify_session
from contextapp.intake.models import Import
from contextapp.intake.services import run_import, start_import
from tests.databases import CommittedDatabase
from tests.importers.parsing import assistant, call, result, to_lines, user
from tests.intake.files import write

TURNS = 300


def long_conversation() -> bytes:
    turns = []
    for turn in range(0, TURNS * 4, 4):
        turns += [
            user(f"Fix parser {turn}", turn + 1),
            call(f"c{turn}", number=turn + 2, command="pytest"),
            result(f"c{turn}", "1 failed " * 40, turn + 3),
            assistant({"type": "text", "text": "done"}, turn + 4, message_id=f"msg_{turn}"),
        ]
    return to_lines(*turns)


@pytest.mark.slow
def test_a_killed_import_is_whole_and_finishes_when_run_again(committed_db: CommittedDatabase, tmp_path: Path) -> None:
    path = write(tmp_path, "long.jsonl", long_conversation())
    command = [sys.executable, "manage.py", "import", str(path)]
    process = subprocess.Popen(command, cwd=PROJECT, env=committed_db.environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while Event.objects.count() < 500 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it was done before it could be killed"
    session = Session.objects.get()
    assert verify_session(session.id).is_verified

    run_import(Import.objects.get().id)

    again = Project.objects.create(slug="again", name="Again")
    undisturbed = start_import(project=again, paths=[str(path)], requested_by="test", in_background=False)
    run_import(undisturbed.id)
    killed, whole = (list(_ids(project)) for project in (session.project, again))
    assert killed == whole
    assert Session.objects.get(project=again).step_count == Session.objects.get(project=session.project).step_count


def _ids(project: Project) -> list[tuple[int, str]]:
    events = Event.objects.filter(project=project).order_by("seq")
    return [(seq, str(event_id)) for seq, event_id in events.values_list("seq", "event_id")]
