"""A command before the first `make up` says what to do; a defect of ours keeps its traceback."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.db import ProgrammingError, connection

from contextapp.config.local.places import PROJECT
from contextapp.config.local.tables import tables_expected
from tests.databases import CommittedDatabase


@pytest.mark.parametrize("command", [["manage.py", "import", "nothing.jsonl"], ["-m", "contextapp.config.local.login"]])
def test_a_command_without_tables_names_the_way_out(command: list[str], committed_db: CommittedDatabase) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")

    ended = subprocess.run(
        [sys.executable, *command], cwd=PROJECT, env=committed_db.environment, capture_output=True, text=True
    )

    assert ended.returncode == 1
    assert "Run `make up` once, or `manage.py migrate`." in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.django_db
def test_a_missing_table_of_a_whole_database_is_a_defect_and_shown() -> None:
    with pytest.raises(ProgrammingError), tables_expected(), connection.cursor() as cursor:
        cursor.execute("SELECT * FROM never_made")
