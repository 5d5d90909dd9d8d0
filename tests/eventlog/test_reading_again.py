"""When the words of search change, what was read is read again by the workers; what was erased stays unread."""

from __future__ import annotations

from importlib import import_module

from django.apps import apps

from contextapp.eventlog.models import Reading, ReadingMark
from contextapp.eventlog.services import DERIVE, erase_session
from contextapp.eventlog.services.deriving import derive_session
from contextapp.jobs.models import Job
from contextapp.jobs.services import run_now
from tests.world import World

migration = import_module("contextapp.eventlog.migrations.0014_read_again")


def test_every_session_waits_to_be_read_and_is(world: World) -> None:
    kept, erased = world.open_session(), world.open_session()
    for session in (kept, erased):
        world.append(session, ("user.message", {"text": "look at PaymentGateway"}))
        derive_session(session_id=session.id)
    erase_session(session_id=erased.id, reason="asked", actor="user:alice")

    migration.read_again(apps, None)

    assert not Reading.objects.filter(session=kept).exists()
    assert not Job.objects.filter(kind=DERIVE, key=str(erased.id)).exists()
    run_now(Job.objects.get(kind=DERIVE, key=str(kept.id)).id)
    assert Reading.objects.filter(session=kept).count() == ReadingMark.objects.get(session=kept).seq == 1
