"""API keys: shown once, kept as a hash, dead at once when revoked, expired or orphaned."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from contextapp.accounts.models import ApiKey, AuditEntry
from contextapp.accounts.permissions import key_may
from contextapp.accounts.selectors import key_for, live_api_keys_of
from contextapp.accounts.services import create_api_key, note_key_use, revoke_api_key
from tests.world import World


@pytest.fixture
def made(world: World) -> tuple[ApiKey, str]:
    return create_api_key(project=world.project, name="agent", scopes=["ingest", "build"], by=world.alice)


def test_a_key_is_shown_once_and_kept_as_a_hash(made: tuple[ApiKey, str]) -> None:
    key, shown = made

    assert re.fullmatch(r"ctx_[0-9a-f]{8}_[A-Za-z0-9_-]{43}", shown)
    secret = shown.split("_", 2)[2]
    stored = ApiKey.objects.values().get()
    assert secret not in str(stored)
    assert len(bytes(stored["secret_sha256"])) == 32
    assert key.scopes == ["build", "ingest"]
    assert AuditEntry.objects.get(action="api_key.created").actor == "user:alice"


@pytest.mark.parametrize("form", ["{}", "Bearer {}", "bearer   {}", "  {}  "])
def test_a_key_opens_in_every_form_of_the_header(made: tuple[ApiKey, str], form: str) -> None:
    key, shown = made

    assert key_for(form.format(shown)) == key


def test_what_is_not_the_key_opens_nothing(made: tuple[ApiKey, str]) -> None:
    key, shown = made
    others = [
        "",
        "ctx",
        "ctx__",
        "ctx_x_y",
        f"{shown}x",
        shown[:-1],
        shown.upper(),
        f"ctx_{key.key_id}_",
        "\0",
        "é_é_é",
    ]

    assert [key_for(other) for other in others] == [None] * len(others)


def test_a_revoked_key_is_dead_at_once(made: tuple[ApiKey, str]) -> None:
    key, shown = made

    first = revoke_api_key(key=key, by="user:alice").revoked_at
    second = revoke_api_key(key=key, by="user:alice").revoked_at

    assert key_for(shown) is None
    assert first == second
    assert AuditEntry.objects.filter(action="api_key.revoked").count() == 1
    assert not live_api_keys_of(key.project).exists()


def test_an_expired_key_is_dead(world: World) -> None:
    gone = timezone.now() - timedelta(seconds=1)
    _, shown = create_api_key(project=world.project, name="old", scopes=["read"], by=world.alice, expires_at=gone)

    assert key_for(shown) is None


def test_a_disabled_owner_disables_the_key(made: tuple[ApiKey, str], world: World) -> None:
    _, shown = made
    world.alice.is_active = False
    world.alice.save()

    assert key_for(shown) is None


@pytest.mark.parametrize("scopes", [[], ["everything"], ["read", "admin"]])
def test_unknown_scopes_are_refused(world: World, scopes: list[str]) -> None:
    with pytest.raises(ValueError, match="choose from ingest, build, read, verify"):
        create_api_key(project=world.project, name="k", scopes=scopes, by=world.alice)


def test_the_use_of_a_key_is_noted_once_a_minute(made: tuple[ApiKey, str]) -> None:
    key, _ = made
    note_key_use(key=key)
    key.refresh_from_db()
    first = key.last_used_at

    note_key_use(key=key)

    key.refresh_from_db()
    assert key.last_used_at == first is not None


def test_an_ingest_key_never_reads(made: tuple[ApiKey, str]) -> None:
    assert key_may(["ingest"], "event.append")
    assert not key_may(["ingest"], "session.read")
    assert not key_may([], "event.append")
