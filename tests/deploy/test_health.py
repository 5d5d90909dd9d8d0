"""Live and ready: who asks hears yes or no, whatever the reason, and never a name of host, table or error."""

from __future__ import annotations

import subprocess
import sys

import pytest
import pytest_django
from django.db import connection
from django.test import Client, override_settings

from contextapp.config.local.places import PROJECT
from tests import clusters


def test_ready_when_the_database_has_every_migration(client: Client, db: None) -> None:
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()) == (200, {"ready": True})
    assert "no-store" in answer["Cache-Control"]


def test_not_ready_while_a_migration_is_missing(client: Client, db: None, caplog: pytest.LogCaptureFixture) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'eventlog' AND name LIKE '0003%'")

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()) == (503, {"ready": False})
    assert "1 migrations are missing, the first is eventlog.0003_append_function" in caplog.text


def test_without_a_database_it_lives_and_is_not_ready(
    client: Client, django_db_blocker: pytest_django.DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock(), clusters.connected_to("postgresql://nobody@127.0.0.1:1/nowhere"):
        live = client.get("/healthz")
        ready = client.get("/readyz")

    assert (live.status_code, live.json()) == (200, {"live": True})
    assert (ready.status_code, ready.content) == (503, b'{"ready": false}')


def test_a_balancer_inside_needs_no_tls(client: Client, db: None) -> None:
    with override_settings(SECURE_SSL_REDIRECT=True):
        fresh = Client()

        assert fresh.get("/readyz").status_code == 200
        assert fresh.get("/login/").status_code == 301


def test_the_container_s_check_fails_where_nobody_serves() -> None:
    command = [sys.executable, "deploy/healthcheck.py"]

    done = subprocess.run(command, cwd=PROJECT, env={"PORT": "1"}, capture_output=True)

    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
