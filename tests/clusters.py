"""PostgreSQL clusters of a test's own, to be stopped, killed and filled up. Never the server that DATABASE_URL names.

fsync and synchronous_commit are on: what these tests say about an acknowledged event they say about the disk.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psycopg
from django.conf import settings
from django.db import connections
from psycopg import sql

from contextapp.config.environment import database
from contextapp.config.local import homes, postgres

DURABLE = {"fsync": "on", "synchronous_commit": "on", "deadlock_timeout": "200ms"}


@dataclass(slots=True)
class TestCluster:
    """Reached by its socket only; every role may log in without a password."""

    __test__ = False
    data: Path
    cluster: postgres.Cluster
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def bin(self) -> Path:
        return self.cluster.binaries.folder

    @property
    def socket(self) -> Path:
        return self.cluster.home.socket / f".s.PGSQL.{postgres.PORT}"

    def url(self, name: str, role: str = postgres.ROLE) -> str:
        return f"postgresql://{role}@:{postgres.PORT}/{name}?host={quote(str(self.cluster.home.socket), safe='')}"

    def start(self) -> None:
        postgres.ensure_running(self.data, settings=self.settings)

    def stop(self, mode: str) -> None:
        """`immediate` is a crash of every process of the server at once; `fast` disconnects and shuts down."""
        user = self.cluster.home.user
        identity = {} if user is None else {"user": user.uid, "group": user.gid, "extra_groups": []}
        command = [str(self.bin / "pg_ctl"), "stop", "-w", "-t", "30", "-m", mode, "-D", str(self.cluster.home.cluster)]
        subprocess.run(command, cwd="/", capture_output=True, check=True, **identity)  # type: ignore[call-overload]

    def execute(self, statement: str | sql.Composed, name: str = "postgres") -> list[tuple[object, ...]]:
        with psycopg.connect(self.url(name), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def create(self, name: str, template: str = "template1") -> None:
        self.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY WAL_LOG").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )

    def drop(self, name: str) -> None:
        self.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def running(folder: Path | None = None, **more: str) -> Iterator[TestCluster]:
    """A new cluster, below `folder` if given; its files go when the block ends."""
    data = Path(tempfile.mkdtemp(prefix="cluster-", dir=folder or "/tmp"))
    data.chmod(0o755)  # root's unprivileged user must get in
    chosen = {**DURABLE, **more}
    try:
        cluster = postgres.ensure_running(data, settings=chosen)
        yield TestCluster(data, cluster, chosen)
    finally:
        cluster = postgres.Cluster(homes.choose(data), postgres.local_cluster(data).binaries)
        postgres.release(cluster)
        cluster.stop()
        for place in {cluster.home.socket, cluster.home.folder, data}:
            shutil.rmtree(place, ignore_errors=True)


@contextmanager
def connected_to(url: str, **options: object) -> Iterator[None]:
    """Django's default connection, in every thread that connects within the block, goes to `url`."""
    entry = settings.DATABASES["default"]
    before = dict(entry)
    _leave()
    wanted = database(url)
    wanted["OPTIONS"] = {**wanted["OPTIONS"], **options}  # type: ignore[dict-item]  # a dict by `database`'s contract
    for place in (entry, connections["default"].settings_dict):
        place.update(wanted)
    try:
        yield
    finally:
        _leave()
        for place in (entry, connections["default"].settings_dict):
            place.update({name: before[name] for name in wanted})


def environment(url: str, data: Path, **more: str) -> dict[str, str]:
    """For another process of the product on that database."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "DJANGO_"))}
    return {**kept, "DATABASE_URL": url, "DATA_DIR": str(data), "DEBUG": "false", **more}


def _leave() -> None:
    connection = connections["default"]
    connection.close()
    connection.close_pool()
