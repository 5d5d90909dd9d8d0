"""The web server of these tests: started once for each, on a database of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import clusters
from tests.api.bad_input.raw import Served
from tests.api.client import agent_of
from tests.databases import CommittedDatabase
from tests.deploy.stack import Stack
from tests.world import build_world


@pytest.fixture
def served(committed_db: CommittedDatabase, tmp_path: Path) -> Iterator[Served]:
    world = build_world()
    agent = agent_of(world.project)
    session = agent.open()
    stack = Stack(clusters.environment(committed_db.url, tmp_path, CELERY_BROKER_URL="memory://"), tmp_path)
    with stack.stack:
        stack.web()
        yield Served(stack, agent.key, session)
