"""A cluster to be crashed, with fsync on, and a database of it for each test. Nothing here touches the shared server."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import pytest_django
from django.core.management import call_command

from tests import clusters
from tests.world import World, build_world

TEMPLATE = "faults_template"
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def fault_cluster() -> Iterator[clusters.TestCluster]:
    with clusters.running(max_connections="40") as cluster:
        yield cluster


@pytest.fixture(scope="session")
def fault_template(fault_cluster: clusters.TestCluster, django_db_blocker: pytest_django.DjangoDbBlocker) -> str:
    fault_cluster.create(TEMPLATE)
    with django_db_blocker.unblock(), clusters.connected_to(fault_cluster.url(TEMPLATE)):
        call_command("migrate", interactive=False, verbosity=0)
    return TEMPLATE


@pytest.fixture
def database_name(fault_cluster: clusters.TestCluster, fault_template: str) -> Iterator[str]:
    fault_cluster.start()  # whatever the test before did to it
    name = f"faults_{next(_numbers)}"
    fault_cluster.create(name, fault_template)
    yield name
    fault_cluster.start()
    fault_cluster.drop(name)


@pytest.fixture
def database_url(
    fault_cluster: clusters.TestCluster, database_name: str, django_db_blocker: pytest_django.DjangoDbBlocker
) -> Iterator[str]:
    """This process is the product on that database."""
    url = fault_cluster.url(database_name)
    with django_db_blocker.unblock(), clusters.connected_to(url):
        yield url


@pytest.fixture
def crash_world(database_url: str) -> World:
    return build_world()
