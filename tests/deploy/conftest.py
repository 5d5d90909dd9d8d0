"""A cluster set up as docs/deploy.md says: roles.sql by a superuser, migrations and rights by the migrator."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from contextapp.config.local.places import PROJECT
from tests import clusters

if TYPE_CHECKING:
    import pytest_django

OWNER, MIGRATOR, APP = "contextapp_owner", "contextapp_migrator", "contextapp_app"
ERASER, AUDITOR = "contextapp_eraser", "contextapp_auditor"
LOGINS = (MIGRATOR, APP, ERASER, AUDITOR)


@dataclass(frozen=True, slots=True)
class Deployed:
    """One database of the cluster with its roles."""

    cluster: clusters.TestCluster
    name: str

    def url(self, role: str) -> str:
        return self.cluster.url(self.name, role)

    def connect(self, role: str) -> psycopg.Connection:
        return psycopg.connect(self.url(role), autocommit=True)

    def environment(self, role: str, data: Path, **more: str) -> dict[str, str]:
        return clusters.environment(self.url(role), data, PG_BIN=str(self.cluster.bin), **more)


@pytest.fixture(scope="session")
def role_cluster() -> Iterator[clusters.TestCluster]:
    with clusters.running() as cluster:
        yield cluster


def apply_roles(cluster: clusters.TestCluster, name: str) -> None:
    command = [str(cluster.bin / "psql"), "-Xqd", cluster.url(name), "-f", "deploy/roles.sql"]
    passwords = {"APP_PASSWORD": "o'connor", "MIGRATOR_PASSWORD": "x y"}
    done = subprocess.run(command, cwd=PROJECT, env={**os.environ, **passwords}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def migrate(deployed: Deployed, data: Path) -> str:
    command = [sys.executable, "deploy/migrate.py"]
    environment = deployed.environment(MIGRATOR, data)
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def deployed(role_cluster: clusters.TestCluster, tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    found = Deployed(role_cluster, "product")
    role_cluster.create(found.name)
    apply_roles(role_cluster, found.name)
    migrate(found, tmp_path_factory.mktemp("data"))
    return found


@pytest.fixture
def as_app(deployed: Deployed, django_db_blocker: pytest_django.DjangoDbBlocker) -> Iterator[None]:
    """This process is the product, logged in as the application."""
    with django_db_blocker.unblock(), clusters.connected_to(deployed.url(APP)):
        yield
