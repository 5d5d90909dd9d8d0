"""The example of docs/example does what it says, against a live server, as somebody would start it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from uuid import UUID

from contextapp.contexts.services import index_session
from contextapp.eventlog import selectors as log
from tests.client.agents import key_of_a_project

EXAMPLE = Path("docs/example")


def test_the_example_runs_and_leaves_a_whole_session(live_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(EXAMPLE / "folder", folder)

    done = subprocess.run(
        [sys.executable, str(EXAMPLE / "agent.py"), live_url, key_of_a_project(), str(folder)],
        env={"PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "The notes say that the parser needs a test." in done.stdout
    session_id = UUID(done.stdout.split()[1].rstrip(":"))
    index_session(session_id=session_id)
    events = log.get_events(session_id)
    assert [event.type for event in events].count("context.built") == 4
    assert [dict(event.payload)["decision"] for event in events if event.type == "permission.resolved"] == ["denied"]
    assert events[-1].type == "session.ended"
