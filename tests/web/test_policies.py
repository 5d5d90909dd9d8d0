"""Policies through their pages: a draft is edited, tried, published, rolled back; a refusal keeps what was typed."""

from __future__ import annotations

import json
import re
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from contextapp.accounts.models import Role, User
from contextapp.accounts.services import add_member, create_api_key
from contextapp.contexts.models import Ledger
from contextapp.engine.policy import Policy
from contextapp.policy.models import PolicyVersion
from contextapp.policy.selectors import active_policy
from contextapp.policy.services import create_draft
from tests.world import World

HERE = "/policies/wonderland/"
PREVIEW = {"HX-Request": "true", "HX-Target": "preview"}


@pytest.fixture
def draft(world: World) -> PolicyVersion:
    return create_draft(project=world.project, body=Policy().to_dict(), by="user:alice")


def fields(page: str) -> dict[str, str]:
    """What the form sends as the page drew it."""
    page = page[page.index('id="policy-form"') :]
    sent = {
        found["name"]: found["value"]
        for found in re.finditer(r'<input[^>]*?name="(?P<name>[^"]+)"[^>]*?value="(?P<value>[^"]*)"', page)
        if 'type="checkbox"' not in found[0]
    }
    texts = re.findall(r'<textarea name="([^"]+)"[^>]*>([^<]*)', page)
    return {**sent, **dict(texts), "layout": "cache_first"}


def opened(client: Client, version: PolicyVersion) -> dict[str, str]:
    return fields(client.get(f"{HERE}{version.number}/edit/").content.decode())


def publish(client: Client, number: int, **given: Any) -> Any:  # an answer
    page = client.get(f"{HERE}{number}/").content.decode()
    seen = dict(re.findall(r'name="(seen|seen_active)" value="([^"]*)"', page))
    return client.post(f"{HERE}{number}/publish/", {**seen, "note": "because", **given})


def test_the_form_as_drawn_changes_nothing(reader: Client, draft: PolicyVersion) -> None:
    before = draft.body

    answer = reader.post(f"{HERE}{draft.number}/edit/", opened(reader, draft))

    draft.refresh_from_db()
    assert answer.status_code == 302
    assert draft.body == before


def test_a_draft_is_made_saved_published_and_rolled_back(world: World, reader: Client) -> None:
    made = reader.post(f"{HERE}new/")
    assert made.headers["Location"] == f"{HERE}2/edit/"
    version = PolicyVersion.objects.get(project=world.project, number=2)
    given = opened(reader, version) | {"ratios.memory": "9", "ratios.transcript": "56", "lend_unused": "1"}

    saved = reader.post(f"{HERE}2/edit/", given)
    assert saved.status_code == 302
    assert active_policy(world.project.id).number == 1
    shown = reader.get(f"{HERE}2/").content.decode()
    assert "ratios.memory" in shown and "lend_unused" in shown
    assert publish(reader, 2, note="").status_code == 422
    publish(reader, 2)

    active = active_policy(world.project.id)
    assert (active.number, active.lend_unused) == (2, True)
    reader.post(f"{HERE}1/roll-back/", {"note": "worse", "seen_active": "2"})
    assert active_policy(world.project.id).number == 3
    assert active_policy(world.project.id).lend_unused is False


def test_a_refused_form_keeps_what_was_typed_and_names_field_and_value(reader: Client, draft: PolicyVersion) -> None:
    given = opened(reader, draft) | {"ratios.memory": "6", "limits.search_matches": "many", "note": "my note"}

    refused = reader.post(f"{HERE}{draft.number}/edit/", given)

    page = refused.content.decode()
    assert refused.status_code == 422
    assert "“many”" in page and "sum to 101" in page
    assert 'value="my note"' in page and 'value="many" aria-invalid="true"' in page
    draft.refresh_from_db()
    assert draft.body == Policy().to_dict()


def test_of_two_admins_the_second_is_told_and_keeps_what_was_typed(
    world: World, reader: Client, draft: PolicyVersion
) -> None:
    first = opened(reader, draft)
    second = dict(first) | {"ratios.memory": "7", "ratios.transcript": "58"}
    reader.post(f"{HERE}{draft.number}/edit/", first | {"high_mark": "90"})

    refused = reader.post(f"{HERE}{draft.number}/edit/", second)

    draft.refresh_from_db()
    assert refused.status_code == 409
    assert fields(refused.content.decode())["ratios.memory"] == "7"
    assert (draft.body["high_mark"], draft.body["ratios"]["memory"]) == (90, 5)


def test_a_version_that_was_in_force_is_not_edited(reader: Client) -> None:
    answer = reader.get(f"{HERE}1/edit/")

    assert (answer.status_code, answer.headers["Location"]) == (302, f"{HERE}1/")


def test_the_preview_tries_the_draft_on_the_chosen_step_and_stores_nothing(
    world: World, reader: Client, draft: PolicyVersion, recorded: UUID
) -> None:
    given = opened(reader, draft) | {"limits.result_chars": "100", "limits.result_tokens": "50"}
    given["step"] = f"{recorded}/3"
    kept = Ledger.objects.count()

    partial = reader.post(f"{HERE}{draft.number}/edit/", given, headers=PREVIEW)
    plain = reader.post(f"{HERE}{draft.number}/edit/", given | {"action": "preview"})
    faulty = reader.post(f"{HERE}{draft.number}/edit/", given | {"ratios.memory": "50"}, headers=PREVIEW)
    foreign = reader.post(f"{HERE}{draft.number}/edit/", given | {"step": f"{draft_of(world)}/1"}, headers=PREVIEW)

    assert partial.context["preview"].step.number == 3
    assert partial.context["preview"].total_after < partial.context["preview"].total_before
    assert "<html" not in partial.content.decode() and "transcript" in partial.content.decode()
    assert plain.context["preview"].total_after == partial.context["preview"].total_after
    assert "<html" in plain.content.decode()
    assert "sum to 145" in faulty.content.decode()
    assert foreign.context["preview"] is None
    draft.refresh_from_db()
    assert draft.body == Policy().to_dict()
    assert Ledger.objects.count() == kept


def draft_of(world: World) -> UUID:
    """A session of the other project."""
    return world.open_session(project_id=world.foreign_project.id).id


def test_the_header_says_where_the_policy_is_in_force(world: World, reader: Client, recorded: UUID) -> None:
    create_api_key(project=world.project, name="builds", scopes=["build"], by="user:alice")
    create_api_key(project=world.project, name="reads", scopes=["read"], by="user:alice")
    world.open_session()

    page = reader.get("/policies/").content.decode()

    assert "Version 1 is in force for 1 API agent;" in page
    assert "1 imported session is only simulated." in page


def test_a_policy_leaves_as_a_file_and_comes_back_as_a_draft(world: World, reader: Client, stranger: Client) -> None:
    file = reader.get(f"{HERE}1/policy.json")

    answer = stranger.post("/policies/elsewhere/import/", {"file": SimpleUploadedFile("p.json", file.content)})
    broken = stranger.post("/policies/elsewhere/import/", {"file": SimpleUploadedFile("p.json", b"ratios: {}")})

    assert json.loads(file.content)["policy"]["high_mark"] == Policy().high_mark
    assert answer.headers["Location"] == "/policies/elsewhere/2/edit/"
    assert (broken.status_code, b"JSON" in broken.content) == (422, True)


def test_an_auditor_reads_and_finds_no_way_to_change(world: World, draft: PolicyVersion) -> None:
    user = User.objects.create_user("eve")
    add_member(project=world.project, user=user, role=Role.AUDITOR, by="user:alice")
    eve = Client()
    eve.force_login(user)

    pages = [eve.get(path).content.decode() for path in ("/policies/", f"{HERE}1/", f"{HERE}{draft.number}/")]

    forms = [form for page in pages for form in re.findall(r'action="(/policies/[^"]*)"', page)]
    assert forms == []
    assert eve.get(f"{HERE}{draft.number}/edit/").status_code == 403


def test_a_draft_is_given_up(reader: Client, draft: PolicyVersion) -> None:
    page = reader.get(f"{HERE}{draft.number}/").content.decode()
    seen = re.search(r'name="seen" value="([^"]*)"', page)
    assert seen is not None

    reader.post(f"{HERE}{draft.number}/discard/", {"seen": seen[1]})

    draft.refresh_from_db()
    assert draft.state == "retired"
