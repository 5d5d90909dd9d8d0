"""The command line's way to an API key: printed once, listed without its secret, revoked by its id."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from contextapp.accounts.models import ApiKey, AuditEntry
from contextapp.accounts.selectors import key_for
from tests.world import World


def key_command(*arguments: str) -> str:
    out = StringIO()
    call_command("key", *arguments, stdout=out)
    return out.getvalue().strip()


def test_a_key_is_printed_alone_and_opens_its_project(world: World) -> None:
    shown = key_command("my-agent", "--project", "wonderland")

    key = key_for(f"Bearer {shown}")
    assert key is not None and key.project == world.project
    assert key.scopes == ["build", "ingest", "read"]
    assert AuditEntry.objects.get(action="api_key.created").actor == "command:key"


@pytest.mark.django_db
def test_without_a_project_the_key_is_for_the_administrators_own_sessions() -> None:
    shown = key_command("my-agent", "--scopes", "ingest")

    key = key_for(shown)
    assert key is not None and (key.project.slug, key.scopes) == ("default", ["ingest"])


def test_keys_are_listed_without_their_secret(world: World) -> None:
    shown = key_command("my-agent", "--project", "wonderland")

    listed = key_command("--project", "wonderland")

    assert listed.startswith(ApiKey.objects.get().key_id)
    assert shown.split("_", 2)[2] not in listed


def test_a_revoked_key_opens_nothing(world: World) -> None:
    shown = key_command("my-agent", "--project", "wonderland")

    key_command("--project", "wonderland", "--revoke", ApiKey.objects.get().key_id)

    assert key_for(shown) is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a", "--project", "nowhere"], "There is no project 'nowhere'; there are: default, elsewhere, wonderland."),
        (["a", "--scopes", "root"], "scope 'root' is unknown; choose from ingest, build, read, verify"),
        (["--revoke", "00000000"], "Project default has no key '00000000'; `manage.py key` lists them."),
    ],
)
def test_what_cannot_be_done_says_why(world: World, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError) as refusal:
        key_command(*arguments)

    assert said == str(refusal.value)
