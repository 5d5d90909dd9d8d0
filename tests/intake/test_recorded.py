"""The recorded transcripts through the whole path: all explained, and a second import appends nothing."""

from __future__ import annotations

import pytest

from contextapp.eventlog.models import Session
from contextapp.intake import selectors
from tests.importers.test_corpus import DATA, NEEDED, OURS
from tests.intake.files import bring_in, event_count
from tests.world import World

STATES = {"openhands_v1"}  # the state of a conversation is a file of its own, and holds no call

pytestmark = [pytest.mark.corpus, NEEDED]


@pytest.mark.slow
@pytest.mark.parametrize("folder", OURS)
def test_every_recorded_file_is_imported_and_explained_and_comes_twice_without_effect(
    world: World, folder: str
) -> None:
    batch = bring_in(world, DATA / folder)
    files = selectors.files_of(batch.id, limit=None)
    before = event_count()
    moved = [str(file.sha256) for file in files]

    batch.files.update(sha256="")  # so that the second time is a real one
    again = selectors.files_of(bring_in(world, DATA / folder).id, limit=None)

    assert [file.error for file in files] == [""] * len(files)
    assert all(file.lines == file.produced + file.folded + file.quarantined for file in files)
    assert event_count() == before
    assert sum(file.events_new for file in again) == 0
    assert [file.sha256 for file in again] == moved
    idle = Session.objects.filter(project=world.project, step_count=0)
    assert [one.external_id for one in idle if one.external_id.split(":")[0] not in STATES] == []
