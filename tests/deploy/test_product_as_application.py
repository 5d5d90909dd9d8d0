"""The whole product runs as the role that owns nothing; only erasing takes the role that may erase."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_django
from django.conf import settings
from django.db import connection, connections, transaction

from contextapp.accounts.models import AuditEntry
from contextapp.config.environment import database
from contextapp.contexts.services import build_step, index_session
from contextapp.eventlog.eraser import as_eraser
from contextapp.eventlog.services import append, erase_session, verify_session
from contextapp.eventlog.services.checkpoints import take_checkpoint
from contextapp.eventlog.services.publication import publish_checkpoints
from contextapp.eventlog.services.verification import verify_log
from contextapp.intake.samples import load_samples
from tests import clusters
from tests.deploy.conftest import APP, ERASER, Deployed, apply_roles, migrate
from tests.world import World, build_world, draft


@pytest.fixture(scope="module")
def fresh(role_cluster: clusters.TestCluster, tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    found = Deployed(role_cluster, "application")
    role_cluster.create(found.name)
    apply_roles(role_cluster, found.name)
    migrate(found, tmp_path_factory.mktemp("data"))
    return found


@pytest.fixture(scope="module")
def world(fresh: Deployed, django_db_blocker: pytest_django.DjangoDbBlocker) -> Iterator[World]:
    with django_db_blocker.unblock(), clusters.connected_to(fresh.url(APP)):
        yield build_world()


@contextmanager
def eraser(deployed: Deployed) -> Iterator[None]:
    """As the setting ERASER_DATABASE_URL does at the start of a process."""
    settings.DATABASES["eraser"] = connections.settings["eraser"] = connections.configure_settings(
        {"default": settings.DATABASES["default"], "eraser": database(deployed.url(ERASER))}
    )["eraser"]
    try:
        yield
    finally:
        connections["eraser"].close_pool()
        del settings.DATABASES["eraser"], connections["eraser"]
        connections.settings.pop("eraser", None)


def test_this_process_is_the_application(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, session_user")

        assert cursor.fetchone() == (APP, APP)


def test_events_are_appended_indexed_built_and_verified(world: World) -> None:
    session = world.open_session(model="gpt-4o")
    image = {"media_type": "image/png", "data_base64": "aGVsbG8="}
    drafts = [draft("user.message", {"text": "Fix the parser.", "media": [image]})]

    append(session_id=session.id, drafts=drafts, actor="test")
    built = build_step(session_id=session.id, build_id=uuid4(), actor="test")
    index_session(session_id=session.id)

    assert built.request is not None
    assert verify_session(session.id).is_verified


def test_samples_are_loaded_whole(world: World) -> None:
    load_samples()

    assert AuditEntry.objects.exists()


def test_a_checkpoint_is_taken_published_and_verified(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, file in (("CHECKPOINT_KEY_FILE", "key.pem"), ("CHECKPOINT_FILE", "checkpoints.txt"), ("DATA_DIR", "")):
        monkeypatch.setattr(settings, name, tmp_path / file)
    world.append(world.open_session(), ("user.message", {"text": "one"}))

    taken = take_checkpoint()
    publish_checkpoints()

    assert taken is not None
    assert taken.note in (tmp_path / "checkpoints.txt").read_text()
    assert verify_log(is_full=True).verdict == "verified"


def test_erasing_as_the_application_is_refused(world: World) -> None:
    session = world.open_session(title="kept")
    world.append(session, ("user.message", {"text": "one"}))

    with pytest.raises(Exception, match="permission denied"):
        erase_session(session_id=session.id, reason="asked to", actor="user:alice")

    session.refresh_from_db()
    assert (session.title, session.erased_at) == ("kept", None)


def test_erasing_runs_as_the_eraser_where_there_is_one(world: World, fresh: Deployed) -> None:
    session = world.open_session(title="secret")
    world.append(session, ("user.message", {"text": "one"}), ("tool.completed", {"content": "long " * 60_000}))
    index_session(session_id=session.id)

    with eraser(fresh):
        erased = erase_session(session_id=session.id, reason="asked to", actor="user:alice")

    session.refresh_from_db()
    assert (erased.payloads, session.title) == (2, "")
    assert verify_session(session.id).is_verified
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == (APP,)


def test_an_erasure_inside_another_transaction_says_what_to_do(world: World, fresh: Deployed) -> None:
    with (
        eraser(fresh),
        transaction.atomic(),
        pytest.raises(RuntimeError, match=r"enter as_eraser\(\) first"),
        as_eraser(),
    ):
        pass


def test_a_failed_erasure_gives_the_connection_back(world: World, fresh: Deployed) -> None:
    with eraser(fresh), pytest.raises(ValueError, match="on purpose"), as_eraser(), as_eraser():
        raise ValueError("on purpose")

    assert connection.alias == "default"
