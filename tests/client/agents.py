"""A key of a project in the test's own database, for clients that reach the product over HTTP. Holds no test."""

from __future__ import annotations


def key_of_a_project() -> str:
    from contextapp.accounts.services import create_api_key
    from tests.world import build_world

    world = build_world()
    _key, text = create_api_key(
        project=world.project, name="client", scopes=["ingest", "build", "read", "verify"], by="user:alice"
    )
    return text
