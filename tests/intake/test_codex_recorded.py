"""Every recorded rollout through the whole path: all explained, and a second import appends nothing."""

from __future__ import annotations

import pytest

from contextapp.contexts.models import Ledger
from contextapp.eventlog.models import Session
from contextapp.intake import selectors
from tests.importers.codex.test_corpus import DATA, FILES
from tests.intake.files import bring_in, event_count, sessions
from tests.world import World

# Hand-made rollouts that hold usage or errors only.
WITHOUT_CALLS = {f"codex_cli:test-{name}-session" for name in ("usage", "raw", "ratelimit")}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FILES, reason=f"the recorded rollouts are not at {DATA}"),
]


@pytest.mark.slow
def test_every_recorded_rollout_is_imported_and_explained_and_comes_twice_without_effect(world: World) -> None:
    batch = bring_in(world, DATA)
    files = selectors.files_of(batch.id, limit=None)
    before = event_count()

    batch.files.update(sha256="")  # so that the second time is a real one
    again = selectors.files_of(bring_in(world, DATA).id, limit=None)

    transcripts = [file for file in files if file.path.endswith(".jsonl")]
    assert [file.error for file in transcripts] == [""] * len(FILES)
    assert {file.format for file in transcripts} == {"codex_cli"}
    assert all(file.lines == file.produced + file.folded for file in transcripts)
    assert event_count() == before
    assert sum(file.events_new for file in again) == 0
    silent = Session.objects.filter(project=world.project, step_count=0).values_list("external_id", flat=True)
    assert set(silent) == WITHOUT_CALLS
    for session in sessions(world):
        assert Ledger.objects.filter(session=session, origin="observed").count() == session.step_count
