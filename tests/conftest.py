"""The database and the browser of the test run. Holds no test data: that is tests/world.py.

Ordinary tests take pytest-django's `db` and are rolled back. A test that must commit takes `committed_db`, since the
event log refuses TRUNCATE and DELETE.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from contextapp.config.local import messages, places, postgres

if TYPE_CHECKING:
    import pytest_django
    from playwright.sync_api import Page

    from tests.databases import CommittedDatabase

pytest_plugins = ["tests.world"]

TEST_DATA = places.PROJECT / "data" / "test"
# A machine that loses power loses the test run with it.
SPEED = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

LAUNCHED = "DATABASE_URL" not in os.environ
if LAUNCHED:
    os.environ["DATA_DIR"] = str(TEST_DATA)
    os.environ["DATABASE_URL"] = postgres.local_cluster().url("contextapp")
os.environ.setdefault("CELERY_BROKER_URL", "memory://")
# Named here and not in pyproject.toml: pytest-django would read the settings before this file names the database.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")


def pytest_configure(config: pytest.Config) -> None:
    """Before pytest-django's own hook, which sets Django up if the settings have been read."""
    messages.compile_stale()
    from django.conf import settings

    assert settings.DATABASES


@pytest.fixture(scope="session")
def database_server() -> None:
    """Started by the first test that needs it: the engine's tests run without."""
    if LAUNCHED:
        postgres.ensure_running(settings=SPEED)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(database_server: None) -> None:
    """pytest-django asks for this before it creates the test database."""


@pytest.fixture(scope="session")
def database_template(django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker) -> Iterator[str]:
    """A migrated database that nobody ever connects to, so that it can be cloned at any time."""
    from tests import databases

    with contextlib.ExitStack() as stack:
        with django_db_blocker.unblock():
            name = stack.enter_context(databases.template())
        yield name
        with django_db_blocker.unblock():
            stack.close()


@pytest.fixture
def committed_db(
    database_template: str, django_db_blocker: pytest_django.DjangoDbBlocker
) -> Iterator[CommittedDatabase]:
    """A database of this test's own, where commits stay until it ends. Not to be mixed with `db`."""
    from tests import databases

    with django_db_blocker.unblock(), databases.cloned(database_template) as database:
        yield database


@pytest.fixture
def live_url(committed_db: CommittedDatabase) -> Iterator[str]:
    """The address of the product, served from `committed_db` by threads of this process."""
    from tests import serving

    with serving.served() as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> str:
    from tests import serving

    path = serving.find_chromium()
    if path is None:
        message = "Chromium is not installed; `apt-get install chromium`, or name it in CHROMIUM."
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return path


@pytest.fixture
def browser_page(chromium: str) -> Iterator[Page]:
    """A fresh page in a browser of its own profile; a script error on the page fails the test."""
    from tests import serving

    with serving.page(chromium) as page:
        yield page
