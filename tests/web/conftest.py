"""Who reads the pages of one session, and the session that they read: written for real, rolled back after."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from django.test import Client

if TYPE_CHECKING:
    from tests.world import World


@pytest.fixture
def recorded(world: World) -> UUID:
    from tests.web.recorded import a_session  # models: not before Django is ready

    return a_session(world)


@pytest.fixture
def reader(world: World) -> Client:
    """Alice, whose session it is."""
    client = Client()
    client.force_login(world.alice)
    return client


@pytest.fixture
def stranger(world: World) -> Client:
    """Charlie, who has a project of his own and none of Alice's."""
    client = Client()
    client.force_login(world.charlie)
    return client
