"""Who writes a project's summaries: checked, audited, nobody's change overwritten, and a key that stays with its address."""

from __future__ import annotations

import json

import pytest
from django.test import override_settings

from contextapp.accounts.models import AuditEntry
from contextapp.compaction.errors import SummariserChanged, SummariserRefused
from contextapp.compaction.models import SummariserSetting
from contextapp.compaction.sealing import opened
from contextapp.compaction.services import Choice, choose_summariser, compact_session
from contextapp.compaction.values import Stored
from tests.compaction.endpoint import GOOD, openai, serving
from tests.compaction.sessions import live_session
from tests.world import World


def choose(world: World, choice: Choice, seen: int = 0) -> SummariserSetting:
    return choose_summariser(project=world.project, choice=choice, seen=seen, by="user:ada")


def at(host: str, *, key: str | None = "k-secret", path: str = "/v1") -> Choice:
    return Choice("openai", f"http://{host}{path}", "small-model", 32_000, key)


def test_a_projects_endpoint_writes_its_summaries(world: World) -> None:
    session = live_session(world)

    with serving(openai(GOOD)) as endpoint, override_settings(OUTBOUND_ALLOW_HOSTS=[endpoint.host]):
        choose(world, at(endpoint.host))
        made = compact_session(session_id=session.id, trigger="manual")

    assert isinstance(made, Stored) and made.by == "llm:small-model"
    assert endpoint.headers[0]["authorization"] == "Bearer k-secret"


def test_changing_the_address_clears_the_key_and_anything_else_keeps_it(world: World) -> None:
    with serving(openai(GOOD)) as endpoint, override_settings(OUTBOUND_ALLOW_HOSTS=[endpoint.host]):
        choose(world, at(endpoint.host))
        same = choose(world, at(endpoint.host, key=None), seen=1)
        assert opened(same.key_sealed) == "k-secret"
        moved = choose(world, at(endpoint.host, key=None, path="/elsewhere"), seen=2)
        assert opened(moved.key_sealed) == ""


def test_the_key_stands_nowhere_in_clear(world: World) -> None:
    with serving(openai(GOOD)) as endpoint, override_settings(OUTBOUND_ALLOW_HOSTS=[endpoint.host]):
        row = choose(world, at(endpoint.host))

    entry = AuditEntry.objects.filter(action="summariser.changed").latest("id")
    assert b"k-secret" not in bytes(row.key_sealed)
    assert "k-secret" not in json.dumps([entry.before, entry.after]) and '"has_key": true' in json.dumps(entry.after)


def test_a_key_sealed_under_another_secret_opens_nothing(world: World) -> None:
    with serving(openai(GOOD)) as endpoint, override_settings(OUTBOUND_ALLOW_HOSTS=[endpoint.host]):
        row = choose(world, at(endpoint.host))

    with override_settings(SECRET_KEY="another " * 8):
        assert opened(row.key_sealed) is None


def test_two_admins_do_not_overwrite_each_other(world: World) -> None:
    choose(world, Choice("deterministic"))

    with pytest.raises(SummariserChanged, match="Nothing was overwritten"):
        choose(world, Choice("deterministic"), seen=0)


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        (Choice("oracle"), "kind"),
        (Choice("openai", "https://llm.example", ""), "model"),
        (Choice("openai", "https://llm.example", "m", 10), "window_tokens"),
        (Choice("openai", "http://127.0.0.1:9/v1", "m"), "base_url"),
        (Choice("anthropic", "https://169.254.169.254/", "m"), "base_url"),
        (Choice("anthropic", "ftp://llm.example/", "m"), "base_url"),
        (Choice("openai", "https://user:pw@llm.example/", "m"), "base_url"),
    ],
)
def test_what_can_not_be_is_refused_by_its_field(world: World, choice: Choice, field: str) -> None:
    with pytest.raises(SummariserRefused) as refused:
        choose(world, choice)

    assert refused.value.field == field
    assert not SummariserSetting.objects.exclude(kind="deterministic").exists()
