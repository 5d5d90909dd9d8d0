"""Each kind of job, delivered twice at once and done by two workers at once, has the effect of one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import Count
from django.db.models.functions import Now

from contextapp.compaction.services import COMPACT
from contextapp.contexts.models import Counterfactual, Ledger
from contextapp.contexts.services import COUNTERFACTUAL, INDEX_SESSION, SIMULATE_SESSION, index_session
from contextapp.eventlog.models import Checkpoint, CheckpointHead, Event, Reading, SessionVerification
from contextapp.eventlog.selectors import get_events
from contextapp.eventlog.services import DERIVE
from contextapp.intake.models import Import
from contextapp.intake.selectors import JOB_KIND as IMPORT
from contextapp.intake.services import start_import
from contextapp.jobs import registry, services
from contextapp.jobs.handle import JobHandle, LeaseLost
from contextapp.jobs.models import Job, JobState
from contextapp.memory.models import MemoryEmbedding, MemoryRevision
from contextapp.memory.services import AGE, EMBED, EXTRACT, TAKE_PROPOSALS
from tests.compaction.sessions import live_session
from tests.contexts.stories import open_recorded, two_turns
from tests.faults.test_failpoints import state_of
from tests.intake.files import conversation, write
from tests.memory.records import candidate
from tests.world import World

CHECKPOINT, VERIFY, RETENTION = "eventlog.checkpoint", "eventlog.verify", "eventlog.retention"


@dataclass(frozen=True, slots=True)
class Work:
    """A job's payload, and what is there after it; made anew for each run."""

    key: str
    payload: dict[str, Any]  # JSON of the kind's own shape
    effect: Callable[[], object]


def index(world: World, folder: Path) -> Work:
    session = open_recorded(world)
    world.append(session, *two_turns())
    return Work(str(session.id), {"session": str(session.id)}, lambda: state_of(session.id))


def simulate(world: World, folder: Path) -> Work:
    session = open_recorded(world)
    world.append(session, *two_turns())
    index_session(session_id=session.id)
    ledgers = Ledger.objects.filter(session=session).order_by("step__number", "origin")
    return Work(
        str(session.id), {"session": str(session.id)}, lambda: list(ledgers.values_list("step__number", "origin"))
    )


def bring_in(world: World, folder: Path) -> Work:
    path = write(folder, f"{uuid4()}.jsonl", conversation(sessionId=str(uuid4())) + b"{not json\n")
    batch = start_import(project=world.project, paths=[str(path)], requested_by="test", in_background=False)

    def effect() -> object:
        found = Import.objects.get(id=batch.id)
        [file] = found.files.all()
        counted = (file.lines, file.produced, file.folded, file.quarantined, file.quarantine.count())
        events = Event.objects.filter(session__import_files__batch=found).order_by("seq")
        return found.state, counted, list(events.values_list("seq", "type"))

    return Work(str(batch.id), {"import_id": str(batch.id)}, effect)


def checkpoint(world: World, folder: Path) -> Work:
    before = Checkpoint.objects.count(), CheckpointHead.objects.count()
    session = world.open_session()
    world.append(session, ("user.message", {"text": "one"}))

    def effect() -> object:
        published = (folder / "checkpoints.txt").read_text() if (folder / "checkpoints.txt").exists() else ""
        notes = [found.note for found in Checkpoint.objects.order_by("number")]
        return (
            Checkpoint.objects.count() - before[0],
            CheckpointHead.objects.count() - before[1],
            [published.count(note) for note in notes],
        )

    return Work("all", {}, effect)


def verify(world: World, folder: Path) -> Work:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "one"}))
    found = SessionVerification.objects.filter(session_id=session.id)
    return Work("full", {}, lambda: list(found.values_list("verdict", "seq")))


def retain(world: World, folder: Path) -> Work:
    session = world.open_session(title="old")
    world.append(session, ("user.message", {"text": "one"}))
    world.project.retention_days = 0
    world.project.save()
    return Work("daily", {}, lambda: state_of(session.id))


def take(world: World, folder: Path) -> Work:
    session = world.open_session(workspace_root=f"/srv/{uuid4()}")
    claims = ("Tests run with make test.", "The port is 8080.")
    world.append(session, *(("memory.proposed", {"claim": claim, "scope": "workspace"}) for claim in claims))
    return Work(str(session.id), {"session": str(session.id)}, lambda: _records(session.id))


def extract(world: World, folder: Path) -> Work:
    session = world.open_session(workspace_root=f"/srv/{uuid4()}")
    world.append(session, ("user.message", {"text": "Remember that invoices are numbered per year."}))
    return Work(str(session.id), {"session": str(session.id)}, lambda: _records(session.id))


def _records(session_id: UUID) -> list[tuple[str, str, int, int]]:
    found = MemoryRevision.objects.filter(proposed_session=session_id).annotate(rows=Count("evidence"))
    return sorted(found.values_list("claim", "state", "version", "rows"))


def age(world: World, folder: Path) -> Work:
    MemoryRevision.objects.all().delete()
    record = candidate(world)
    MemoryRevision.objects.filter(pk=record.pk).update(created_at=Now() - timedelta(days=31))
    found = MemoryRevision.objects.filter(pk=record.pk)
    return Work("all", {}, lambda: list(found.values_list("state", "version")))


def count_effect(world: World, folder: Path) -> Work:
    session = open_recorded(world)
    world.append(session, *two_turns())
    index_session(session_id=session.id)
    record = candidate(world, scope="session", scope_key=str(session.id))
    found = Counterfactual.objects.filter(memory_id=record.pk)
    return Work(str(record.pk), {"memory": record.pk}, lambda: list(found.values_list("version", "steps_considered")))


def derive(world: World, folder: Path) -> Work:
    session = world.open_session()
    world.append(session, *two_turns())
    found = Reading.objects.filter(session=session).order_by("seq")
    return Work(str(session.id), {"session": str(session.id)}, lambda: list(found.values_list("seq", "type", "tokens")))


def compact(world: World, folder: Path) -> Work:
    session = live_session(world)

    def effect() -> list[object]:
        found = [event for event in get_events(session.id) if event.type.startswith(("session.comp", "compaction."))]
        return [(event.type, event.payload["covers"], event.payload.get("summary")) for event in found]

    return Work(str(session.id), {"session": str(session.id), "trigger": "manual"}, effect)


def embed(world: World, folder: Path) -> Work:
    """No model is configured, so there is nothing to do; what it does with one is in tests/memory."""
    return Work(str(world.project.id), {"project": str(world.project.id)}, lambda: MemoryEmbedding.objects.count())


KINDS: dict[str, Callable[[World, Path], Work]] = {
    INDEX_SESSION: index,
    SIMULATE_SESSION: simulate,
    IMPORT: bring_in,
    CHECKPOINT: checkpoint,
    VERIFY: verify,
    RETENTION: retain,
    TAKE_PROPOSALS: take,
    EXTRACT: extract,
    AGE: age,
    COUNTERFACTUAL: count_effect,
    DERIVE: derive,
    COMPACT: compact,
    EMBED: embed,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, file in (("CHECKPOINT_KEY_FILE", "key.pem"), ("CHECKPOINT_FILE", "checkpoints.txt"), ("DATA_DIR", "")):
        monkeypatch.setattr(settings, name, tmp_path / file)
    return tmp_path


def test_every_kind_is_tried() -> None:
    ours = {kind for kind in registry._handlers if not kind.startswith("test.")}

    assert ours == set(KINDS), "say here how the new kind of job is made and what its effect is"


def at_once(*functions: Callable[[], object]) -> list[BaseException]:
    start = threading.Barrier(len(functions))
    raised: list[BaseException] = []

    def run(function: Callable[[], object]) -> None:
        try:
            start.wait()
            function()
        except LeaseLost:
            pass  # it was told to stop, and did
        except BaseException as error:  # noqa: BLE001  told to the test below
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def effect_alone(kind: str, crash_world: World, folder: Path) -> object:
    """What the same work does when it is done once, undisturbed."""
    alone = KINDS[kind](crash_world, folder)
    services.run_now(Job.objects.create(kind=kind, key=alone.key, payload=alone.payload).pk)
    effect = alone.effect()
    Job.objects.all().delete()
    return effect


@pytest.mark.fault("F27", "F32")
@pytest.mark.parametrize("kind", KINDS)
def test_a_job_delivered_twice_is_done_once(kind: str, crash_world: World, folder: Path) -> None:
    expected = effect_alone(kind, crash_world, folder)
    work = KINDS[kind](crash_world, folder)
    job = Job.objects.create(kind=kind, key=work.key, payload=work.payload)

    raised = at_once(lambda: services.run_job(job.pk), lambda: services.run_job(job.pk))

    job.refresh_from_db()
    assert (raised, job.state, job.attempts, job.last_error) == ([], JobState.DONE, 1, "")
    assert comparable(work.effect()) == comparable(expected)


@pytest.mark.fault("F25", "F26", "F28")
@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_that_lost_its_lease_and_its_successor_have_one_effect(
    kind: str, crash_world: World, folder: Path
) -> None:
    expected = effect_alone(kind, crash_world, folder)
    work = KINDS[kind](crash_world, folder)
    job = Job.objects.create(kind=kind, key=work.key, payload=work.payload)
    handles = []
    for owner in ("slow", "successor"):
        claimed = services._claim(job.pk, owner)
        assert claimed is not None
        handles.append(JobHandle(claimed, owner))
        Job.objects.filter(pk=job.pk, lease_owner="slow").update(lease_until=Now() - timedelta(seconds=1))

    raised = at_once(*(lambda handle=handle: registry.handler_for(kind)(handle) for handle in handles))  # type: ignore[misc]

    assert raised == []
    assert comparable(work.effect()) == comparable(expected)


def comparable(effect: object) -> object:
    """A later checkpoint stands below earlier ones; each is published once."""
    if isinstance(effect, tuple) and len(effect) == 3 and effect[0] == 1:
        return effect[0], effect[1], set(effect[2])
    return effect
