"""A release under traffic: a migration gives way, is tried again, and may be killed at any moment."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg
import pytest

from contextapp.config.local.places import PROJECT
from tests import clusters
from tests.deploy.conftest import APP, MIGRATOR, Deployed, apply_roles, migrate


@pytest.mark.fault("F19")
def test_a_change_of_a_table_in_use_gives_up_before_anybody_waits_long(deployed: Deployed) -> None:
    waited: list[float] = []

    def read() -> None:
        with deployed.connect(APP) as other:
            started = time.monotonic()
            other.execute("SELECT count(*) FROM eventlog_session")
            waited.append(time.monotonic() - started)

    with psycopg.connect(deployed.url(APP)) as reader, deployed.connect(MIGRATOR) as migrator:
        reader.execute("SELECT count(*) FROM eventlog_session")  # its transaction stays open
        behind = threading.Timer(0.1, read)
        behind.start()
        with pytest.raises(psycopg.errors.LockNotAvailable):
            migrator.execute("ALTER TABLE eventlog_session ADD COLUMN later int")
        behind.join()

    assert waited[0] < 1


@pytest.mark.slow
@pytest.mark.fault("F19")
def test_a_migration_that_finds_a_table_in_use_is_tried_again(deployed: Deployed, tmp_path: Path) -> None:
    with psycopg.connect(deployed.url(MIGRATOR)) as holder:
        holder.execute("LOCK TABLE django_migrations IN ACCESS EXCLUSIVE MODE")
        released = threading.Timer(3, holder.rollback)
        released.start()

        said = migrate(deployed, tmp_path)

        released.join()
    assert "a table is in use; try 2 of 20" in said
    assert "rights set for every role" in said


@pytest.mark.slow
@pytest.mark.fault("F21")
def test_a_killed_migration_is_finished_by_the_next(role_cluster: clusters.TestCluster, tmp_path: Path) -> None:
    role_cluster.create("killed")
    try:
        apply_roles(role_cluster, "killed")
        deployed = Deployed(role_cluster, "killed")
        for wanted in (1, 15, 30):
            kill_when_done(deployed, tmp_path, wanted)

        migrate(deployed, tmp_path)

        with deployed.connect(MIGRATOR) as connection:
            assert shape(connection) == shape_of_an_undisturbed_one(role_cluster, tmp_path)
    finally:
        role_cluster.drop("killed")


def kill_when_done(deployed: Deployed, data: Path, wanted: int) -> None:
    """Kill it, wherever it is, once it has done that many migrations."""
    command, environment = [sys.executable, "deploy/migrate.py"], deployed.environment(MIGRATOR, data)
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=quiet, stderr=quiet)
    with deployed.connect(MIGRATOR) as connection:
        while applied(connection) < wanted:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it ended before it could be killed"


def applied(connection: psycopg.Connection) -> int:
    if connection.execute("SELECT to_regclass('django_migrations')").fetchone() == (None,):
        return 0
    row = connection.execute("SELECT count(*) FROM django_migrations").fetchone()
    return int(row[0]) if row else 0


def shape_of_an_undisturbed_one(cluster: clusters.TestCluster, data: Path) -> list[tuple[object, ...]]:
    cluster.create("undisturbed")
    try:
        apply_roles(cluster, "undisturbed")
        found = Deployed(cluster, "undisturbed")
        migrate(found, data)
        with found.connect(MIGRATOR) as connection:
            return shape(connection)
    finally:
        cluster.drop("undisturbed")


def shape(connection: psycopg.Connection) -> list[tuple[object, ...]]:
    """Tables, columns, triggers, functions, indexes and applied migrations."""
    return connection.execute(
        "SELECT 'column', table_name || '.' || column_name, data_type FROM information_schema.columns "
        "WHERE table_schema = 'public' "
        "UNION ALL SELECT 'trigger', tgrelid::regclass || '.' || tgname, tgenabled::text FROM pg_trigger "
        "WHERE NOT tgisinternal "
        "UNION ALL SELECT 'function', proname, md5(prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace "
        "UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' "
        "UNION ALL SELECT 'migration', app || '.' || name, '' FROM django_migrations "
        "UNION ALL SELECT 'right', relname, relacl::text FROM pg_class WHERE relnamespace = 'public'::regnamespace "
        "ORDER BY 1, 2, 3"
    ).fetchall()
