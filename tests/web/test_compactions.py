"""The page of a session's summaries and the settings of who writes them."""

from __future__ import annotations

import pytest
from django.test import Client

from contextapp.accounts.models import AuditEntry, Role
from contextapp.accounts.services import add_member
from contextapp.compaction.models import Compaction, SummariserSetting
from contextapp.compaction.services import COMPACT, compact_session
from contextapp.compaction.values import Stored
from contextapp.contexts.services import index_session
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import get_events
from contextapp.jobs.models import Job
from contextapp.jobs.services import run_now
from tests.compaction.sessions import live_session
from tests.contexts.stories import recorded, two_turns
from tests.world import World


@pytest.fixture
def session(world: World) -> Session:
    made = live_session(world)
    assert isinstance(compact_session(session_id=made.id, trigger="auto"), Stored)
    index_session(session_id=made.id)
    return made


@pytest.fixture
def admin(client: Client, world: World) -> Client:
    client.force_login(world.alice)
    return client


def test_it_shows_range_writer_tokens_and_what_survived(admin: Client, session: Session) -> None:
    row = Compaction.objects.get(session=session)

    page = admin.get(f"/sessions/{session.id}/compactions/").content.decode()

    assert f"Events 1–{row.covers_to}" in page and "in force" in page
    assert "the deterministic summariser" in page and "the transcript was full after a turn" in page
    assert f"{row.before_tokens:,} → {row.after_tokens:,}" in page
    assert "Never push to main." in page and "verbatim" in page


def test_one_is_withdrawn_with_a_reason_and_an_audit_entry(admin: Client, session: Session) -> None:
    row = Compaction.objects.get(session=session)
    address = f"/sessions/{session.id}/compactions/{row.seq}/withdraw/"

    nothing = admin.post(address, {"reason": " "})
    done = admin.post(address, {"reason": "wrong goal"}, follow=True)

    row.refresh_from_db()
    entry = AuditEntry.objects.filter(action="compaction.withdrawn").latest("id")
    assert nothing.status_code == 422 and "why the summary shall no longer count" in nothing.content.decode()
    assert "wrong goal" in done.content.decode() and "withdrawn" in done.content.decode()
    assert get_events(session.id)[-1].type == "compaction.withdrawn" and row.withdrawn_seq
    assert entry.after is not None and entry.after["reason"] == "wrong goal"


def test_one_is_made_on_request_in_the_background(admin: Client, world: World) -> None:
    session = live_session(world)

    admin.post(f"/sessions/{session.id}/compactions/make/", follow=True)

    run_now(Job.objects.get(kind=COMPACT, key=str(session.id)).id)
    index_session(session_id=session.id)
    assert Compaction.objects.get(session=session).trigger == "manual"


def test_what_was_imported_is_never_summarised(admin: Client, world: World) -> None:
    session = recorded(world, two_turns())

    page = admin.get(f"/sessions/{session.id}/compactions/").content.decode()
    admin.post(f"/sessions/{session.id}/compactions/make/")

    assert "Summarise now" not in page and "Withdraw…" not in page
    assert not Job.objects.filter(kind=COMPACT).exists()


def test_a_reviewer_reads_and_changes_nothing(client: Client, world: World, session: Session) -> None:
    row = Compaction.objects.get(session=session)
    add_member(project=world.project, user=world.charlie, role=Role.REVIEWER, by="test")
    client.force_login(world.charlie)

    page = client.get(f"/sessions/{session.id}/compactions/")
    refused = client.post(f"/sessions/{session.id}/compactions/{row.seq}/withdraw/", {"reason": "x"})

    assert page.status_code == 200 and "Withdraw…" not in page.content.decode()
    assert refused.status_code == 403


def test_the_writer_of_summaries_is_chosen_and_a_refused_address_keeps_what_was_typed(
    admin: Client, world: World
) -> None:
    address = f"/settings/{world.project.slug}/summaries/"
    typed = {
        "kind": "openai",
        "base_url": "http://127.0.0.1:9/v1",
        "model": "small",
        "window_tokens": "32,000",
        "seen": "0",
    }

    refused = admin.post(f"{address}change/", typed)
    saved = admin.post(f"{address}change/", {**typed, "kind": "deterministic"}, follow=True)

    assert refused.status_code == 422
    assert "http://127.0.0.1:9/v1" in refused.content.decode() and "allow the host by name" in refused.content.decode()
    assert "The settings are changed." in saved.content.decode()
    assert SummariserSetting.objects.get(project=world.project).kind == "deterministic"


def test_another_admins_change_is_shown_and_not_overwritten(admin: Client, world: World) -> None:
    address = f"/settings/{world.project.slug}/summaries/change/"
    admin.post(address, {"kind": "deterministic", "seen": "0"})

    late = admin.post(address, {"kind": "deterministic", "seen": "0"})

    assert late.status_code == 409 and "Nothing was overwritten" in late.content.decode()
