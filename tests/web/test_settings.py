"""The settings through the browser's forms: people, keys, masking, retention, limits, the trail."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from contextapp.accounts.models import ApiKey, AuditEntry, Invitation, Membership, Project, Usage, User
from contextapp.accounts.selectors import key_for
from contextapp.accounts.services import create_api_key, record, settings_state
from contextapp.eventlog import selectors
from contextapp.web.views.settings.audit import harmless
from tests.world import World

HERE = "/settings/wonderland/"
PASSWORD = "correct horse battery staple"


def shown_once(page: str) -> str:
    return re.search(r"data-copied>([^<]+)<", page)[1]  # type: ignore[index]


@pytest.mark.parametrize("tab", ["members", "keys", "masking", "retention", "limits", "audit", "checkpoints"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_page_answers_and_is_kept_in_no_cache(reader: Client, tab: str, language: str) -> None:
    reader.cookies["django_language"] = language

    page = reader.get(f"{HERE}{tab}/")

    assert page.status_code == 200
    assert page.headers["Cache-Control"] == "private, no-store"


def test_who_is_invited_joins_with_that_role_and_the_link_works_once(world: World, reader: Client) -> None:
    made = reader.post(f"{HERE}members/invite/", {"role": "auditor", "days": "7", "note": "for Eve"})
    path = re.search(r"/invitation/[^/]+/", shown_once(made.content.decode()))[0]  # type: ignore[index]
    eve = Client()
    assert b"Wonderland" in eve.get(path).content

    short = eve.post(path, {"username": "eve", "password": "short"})
    taken = eve.post(path, {"username": "alice", "password": PASSWORD})
    joined = eve.post(path, {"username": "eve", "password": PASSWORD})

    assert (short.status_code, taken.status_code, joined.status_code) == (422, 422, 302)
    assert Membership.objects.get(user__username="eve").role == "auditor"
    assert eve.get(f"{HERE}audit/").status_code == 200
    assert eve.post(f"{HERE}limits/change/").status_code == 403
    assert Client().post(path, {"username": "mallory", "password": PASSWORD}).status_code == 410
    assert not User.objects.filter(username="mallory").exists()
    assert AuditEntry.objects.filter(action="invitation.accepted", actor="user:eve").count() == 1


def test_a_revoked_or_old_invitation_opens_nothing(reader: Client, stranger: Client) -> None:
    paths = []
    for _ in range(2):
        made = reader.post(f"{HERE}members/invite/", {"role": "admin", "days": "1"})
        paths.append(re.search(r"/invitation/[^/]+/", shown_once(made.content.decode()))[0])  # type: ignore[index]
    first, second = Invitation.objects.order_by("created_at")
    reader.post(f"{HERE}invitations/{first.id}/revoke/")
    Invitation.objects.filter(id=second.id).update(expires_at=timezone.now() - timedelta(seconds=1))

    assert [stranger.post(path).status_code for path in paths] == [410, 410]


def test_the_last_admin_stays(world: World, reader: Client) -> None:
    changed = reader.post(f"{HERE}members/{world.alice.id}/role/", {"role": "auditor"})
    removed = reader.post(f"{HERE}members/{world.alice.id}/remove/")

    assert (changed.status_code, removed.status_code) == (409, 409)
    assert Membership.objects.get(user=world.alice).role == "admin"


def test_a_role_that_somebody_else_changed_is_not_overwritten(world: World, reader: Client) -> None:
    refused = reader.post(f"{HERE}members/{world.bob.id}/role/", {"role": "auditor", "seen": "developer"})

    assert refused.status_code == 409
    assert Membership.objects.get(user=world.bob).role == "reviewer"


def test_a_key_is_shown_once_rotated_with_an_overlap_and_revoked(world: World, reader: Client) -> None:
    made = reader.post(f"{HERE}keys/new/", {"name": "agent", "scope": ["read", "ingest"], "days": "90"})
    first = shown_once(made.content.decode())
    assert first.encode() not in reader.get(f"{HERE}keys/").content
    old = ApiKey.objects.get()

    rotated = reader.post(f"{HERE}keys/{old.key_id}/rotate/", {"hours": "1"})
    second = shown_once(rotated.content.decode())

    assert key_for(first) is not None and key_for(second) is not None  # both, for an hour
    ApiKey.objects.filter(id=old.id).update(expires_at=timezone.now())
    assert key_for(first) is None
    new = ApiKey.objects.exclude(id=old.id).get()
    assert (new.name, new.scopes) == (old.name, old.scopes)
    reader.post(f"{HERE}keys/{new.key_id}/revoke/")
    assert key_for(second) is None


def test_a_rule_of_the_page_masks_the_next_event(world: World, reader: Client) -> None:
    seen = settings_state(world.project, "masking")
    rows = {"mode": "mask", "name": ["ticket", ""], "pattern": [r"TICKET-\d+", ""], "seen": seen}
    bad = reader.post(f"{HERE}masking/change/", {**rows, "pattern": ["(?=x)y", ""]})
    assert (bad.status_code, b"invalid perl operator" in bad.content) == (422, True)

    reader.post(f"{HERE}masking/change/", rows)
    session = world.open_session()
    world.append(session, ("user.message", {"text": "TICKET-77"}))
    tried = reader.post(f"{HERE}masking/try/", {"text": "see TICKET-78"})
    late = reader.post(f"{HERE}masking/change/", {**rows, "mode": "flag"})

    assert selectors.get_events(session.id)[0].payload["text"] == "[masked:ticket]"
    assert b"see [masked:ticket]" in tried.content
    assert late.status_code == 409
    assert Project.objects.get(id=world.project.id).masking_mode == "mask"


def test_retention_that_erases_more_is_confirmed_by_typing(world: World, reader: Client) -> None:
    values = {"days": "30", "seen": settings_state(world.project, "retention")}

    unconfirmed = reader.post(f"{HERE}retention/change/", values)
    reader.post(f"{HERE}retention/change/", {**values, "confirm": "wonderland"})

    assert unconfirmed.status_code == 422
    entry = AuditEntry.objects.get(action="retention.changed")
    assert (entry.before, entry.after) == ({"retention_days": None}, {"retention_days": 30})


@pytest.mark.parametrize("value", ["-1", "0", "1e3", "many", "9" * 30])
def test_a_limit_that_is_no_number_is_named(world: World, reader: Client, value: str) -> None:
    seen = settings_state(world.project, "limits")

    refused = reader.post(f"{HERE}limits/change/", {"events": value, "seen": seen})

    assert refused.status_code == 422
    assert Project.objects.get(id=world.project.id).limit_events_per_minute is None


def test_the_trail_is_filtered_paged_and_taken_home_harmlessly(world: World, reader: Client) -> None:
    for number in range(60):
        record(project=world.project, actor="=cmd()", action="thing.happened", target=f"@{number}", after={"n": number})

    page = reader.get(f"{HERE}audit/?action=thing.")
    older = reader.get(f"{HERE}audit/?action=thing.&before=20")
    sheet = b"".join(reader.get(f"{HERE}audit.csv?action=thing.")).decode()

    assert "chain verified" in page.content.decode()
    assert page.content.decode().count("<tr data-row") == 50
    assert older.content.decode().count("<tr data-row") < 50
    assert sheet.count("'=cmd()") == 60
    assert harmless("-1") == "'-1"


def test_a_reading_is_noted_and_polling_is_not(world: World, reader: Client, recorded: object) -> None:
    poll = {"HX-Request": "true", "HX-Target": "session-live"}
    reader.get(f"/sessions/{recorded}/", headers=poll)
    assert AuditEntry.objects.filter(action="transcript.read").count() == 0

    for path in ("", "", "steps/1/"):
        reader.get(f"/sessions/{recorded}/{path}")

    [entry] = AuditEntry.objects.filter(action="transcript.read")
    assert (entry.actor, entry.target, entry.after["page"]) == ("user:alice", f"session:{recorded}", "sessions:detail")


def test_the_limits_show_what_keys_asked_and_were_refused(world: World, reader: Client) -> None:
    key, _text = create_api_key(project=world.project, name="nightly", scopes=["ingest"], by="user:alice")
    minute = timezone.now().replace(second=0, microsecond=0)
    for ago, events, told in ((1, 1_200, {"bad_json": 2}), (2, 300, {"bad_json": 1_000, "rate_limited": 7})):
        at = minute - timedelta(minutes=ago)
        Usage.objects.create(project=world.project, key=key, minute=at, requests=10, events=events, refused=told)
    Usage.objects.create(project=world.project, key=key, minute=minute - timedelta(days=2), requests=9, events=9)

    page = reader.get(f"{HERE}limits/").content.decode()

    row = page[page.index("nightly") :].split("</tr>")[0]
    assert [cell.split("</td>")[0] for cell in row.split('<td class="number">')[1:]] == ["20", "1,500", "1,200"]
    assert re.findall(r"(\w+)</span> (\d[\d,]*\d|\d)", row) == [("bad_json", "1,002"), ("rate_limited", "7")]
