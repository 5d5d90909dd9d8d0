"""How long a statement may take and wait for a lock: limits of the web server's connections, and of no other process."""

from __future__ import annotations

import os
import subprocess
import sys
from urllib.parse import quote

import pytest
from django.conf import settings

from contextapp.config.environment import database, limit_waiting

WEB, COMMAND = "import contextapp.config.wsgi", "import django; django.setup()"
SHOWN = (
    "; from django.db import connection; cursor = connection.cursor()"
    "; print(*[cursor.execute(f'SHOW {name}').fetchone()[0] for name in ('statement_timeout', 'lock_timeout')])"
)


def limits(start: str, options: str = "", **environment: str) -> list[str]:
    """As a process that starts so finds them on its connection, on the maintenance database of the tests' server."""
    entry = settings.DATABASES["default"]
    host, port = quote(str(entry["HOST"]), safe=""), entry["PORT"]
    url = f"postgresql://{entry['USER']}@:{port}/postgres?host={host}" + (
        f"&options={quote(options)}" if options else ""
    )
    kept = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "contextapp.config.settings", **environment}
    done = subprocess.run([sys.executable, "-c", start + SHOWN], env=kept, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.django_db
def test_the_web_server_waits_no_longer_than_its_settings_say() -> None:
    assert limits(WEB) == ["30s", "5s"]
    assert limits(WEB, DATABASE_STATEMENT_TIMEOUT_SECONDS="7", DATABASE_LOCK_TIMEOUT_SECONDS="2") == ["7s", "2s"]


@pytest.mark.django_db
def test_what_the_address_says_wins_and_zero_leaves_what_the_role_has() -> None:
    assert limits(WEB, "-c statement_timeout=9s") == ["9s", "5s"]
    assert limits(WEB, DATABASE_STATEMENT_TIMEOUT_SECONDS="0", DATABASE_LOCK_TIMEOUT_SECONDS="0") == ["0", "0"]


@pytest.mark.django_db
def test_a_command_may_take_long() -> None:
    assert limits(COMMAND) == ["0", "0"]


def test_nothing_is_added_where_nothing_is_limited() -> None:
    entry = database("postgresql://somebody@127.0.0.1:5432/name")

    limit_waiting(entry, statement_seconds=0, lock_seconds=0)

    assert "options" not in entry["OPTIONS"]  # type: ignore[operator]  # a dict by `database`'s contract
