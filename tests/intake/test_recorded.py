"""The recorded transcripts through the whole path: all explained, and a second import appends nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextapp.eventlog.models import Session
from contextapp.intake import selectors
from tests.importers.test_corpus import DATA, NEEDED, NO_TRANSCRIPTS, OURS
from tests.intake.files import bring_in, event_count
from tests.world import World

STATES = {"openhands_v1"}  # the state of a conversation is a file of its own, and holds no call
CALL_LESS = STATES | {"aider"}  # most of its chats were begun and left
NAMED = {"aider": "aider/chat-history.first2.6MB.md"}  # a folder's Markdown is no transcript, unless Aider named it

pytestmark = [pytest.mark.corpus, NEEDED]


@pytest.mark.slow
@pytest.mark.parametrize("folder", OURS)
def test_every_recorded_file_is_imported_and_explained_and_comes_twice_without_effect(
    world: World, folder: str
) -> None:
    place = DATA / NAMED.get(folder, folder)
    batch = bring_in(world, place)
    files = selectors.files_of(batch.id, limit=None)
    before = event_count()
    moved = [str(file.sha256) for file in files]

    batch.files.update(sha256="")  # so that the second time is a real one
    again = selectors.files_of(bring_in(world, place).id, limit=None)

    assert all(bool(file.error) == (Path(file.path).name in NO_TRANSCRIPTS) for file in files)
    assert all(file.lines == file.produced + file.folded + file.quarantined for file in files)
    assert event_count() == before
    assert sum(file.events_new for file in again) == 0
    assert [file.sha256 for file in again] == moved
    idle = Session.objects.filter(project=world.project, step_count=0)
    assert [one.external_id for one in idle if one.external_id.split(":")[0] not in CALL_LESS] == []
