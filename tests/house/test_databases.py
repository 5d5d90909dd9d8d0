"""The test databases themselves: commits stay within the test, and nothing of one test reaches the next."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction

from contextapp.config.local.places import PROJECT
from tests.databases import CommittedDatabase


def add(label: str) -> None:
    with transaction.atomic():
        ContentType.objects.create(app_label=label, model="thing")


def count(label: str) -> int:
    return ContentType.objects.filter(app_label=label).count()


@pytest.mark.parametrize("number", [1, 2])
def test_what_a_test_commits_is_gone_in_the_next(number: int, committed_db: CommittedDatabase) -> None:
    before = count("committed")

    add("committed")

    assert (before, count("committed")) == (0, 1)


def test_another_thread_sees_the_commit(committed_db: CommittedDatabase) -> None:
    add("threaded")
    seen: list[int] = []

    def look() -> None:
        seen.append(count("threaded"))
        connection.close()

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()

    assert seen == [1]


def test_another_process_sees_the_commit(committed_db: CommittedDatabase) -> None:
    add("processed")
    code = (
        "import django; django.setup();"
        "from django.contrib.contenttypes.models import ContentType;"
        "print(ContentType.objects.filter(app_label='processed').count())"
    )
    command = [sys.executable, "-c", code]

    run = subprocess.run(command, env=committed_db.environment, cwd=PROJECT, capture_output=True, text=True)

    assert run.stdout == "1\n", run.stderr


def test_ordinary_tests_still_use_the_test_database(db: None) -> None:
    name = connection.settings_dict["NAME"]

    assert name.startswith("test_")
    assert not name.endswith("_template")


def test_a_clone_is_cheap(database_template: str, django_db_blocker: object) -> None:
    from tests import databases

    started = time.monotonic()
    with django_db_blocker.unblock(), databases.cloned(database_template):  # type: ignore[attr-defined]  # a pytest-django type
        pass

    assert time.monotonic() - started < 2
