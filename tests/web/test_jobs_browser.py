"""The Jobs page in a browser: progress that moves by itself, a failed job retried by keyboard, what stays while it renews."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from contextapp.accounts.models import AuditEntry
from contextapp.jobs.models import Job, JobState
from tests.databases import CommittedDatabase
from tests.world import World, build_world

pytestmark = pytest.mark.browser
TRACE = 'Traceback (most recent call last):\n  File "work.py", line 3\nRuntimeError: the disk is full'


@pytest.fixture
def world(committed_db: CommittedDatabase) -> World:
    return build_world()


@pytest.fixture
def page(world: World, live_url: str, browser_page: Page) -> Iterator[Page]:
    """Alice's."""
    client = Client()
    client.force_login(world.alice)
    cookie = {"name": "contextapp_session", "value": client.cookies["contextapp_session"].value, "url": live_url}
    browser_page.context.add_cookies([cookie])
    yield browser_page


def running(world: World) -> Job:
    return Job.objects.create(
        project=world.project, kind="import.run", key="running", state="running", attempts=1, progress_done=1,
        progress_total=4, progress_note="chats.jsonl", started_at=timezone.now(), lease_owner="host:1:aa",
        lease_until=timezone.now() + timedelta(hours=1),
    )  # fmt: skip


def dead(world: World, key: str = "dead") -> Job:
    return Job.objects.create(
        project=world.project, kind="memory.extract", key=key, state="dead", attempts=5, last_error=TRACE,
        started_at=timezone.now(), finished_at=timezone.now(),
    )  # fmt: skip


def test_progress_moves_by_itself_and_what_is_open_stays_open(page: Page, world: World, live_url: str) -> None:
    job, failed = running(world), dead(world)
    page.goto(f"{live_url}/jobs/")
    row = page.locator(f"#job-{job.pk}")
    expect(row.get_by_role("progressbar")).to_have_js_property("value", 1)
    page.locator(f"#job-{failed.pk}-open").click()
    expect(page.get_by_text("Traceback (most recent call last)")).to_be_visible()

    Job.objects.filter(pk=job.pk).update(progress_done=3, progress_note="more.jsonl")

    expect(row.get_by_role("progressbar")).to_have_js_property("value", 3, timeout=15_000)
    expect(row).to_contain_text("more.jsonl")
    expect(page.get_by_text("Traceback (most recent call last)")).to_be_visible()
    expect(page.locator(f"#job-{failed.pk}-open")).to_be_focused()
    expect(page.locator(f"#job-{failed.pk}")).to_have_attribute("data-current", "")


def test_a_job_that_ends_leaves_the_running_ones_by_itself(page: Page, world: World, live_url: str) -> None:
    job = running(world)
    page.goto(f"{live_url}/jobs/")

    Job.objects.filter(pk=job.pk).update(state=JobState.DONE, finished_at=timezone.now(), lease_owner="")

    expect(page.locator(f"#job-{job.pk}")).to_contain_text("Done", timeout=15_000)
    expect(page.locator("#part-ended")).to_contain_text("1")


def test_a_failed_job_is_retried_by_keyboard(page: Page, world: World, live_url: str) -> None:
    dead(world, "other")
    chosen = dead(world)  # the newer one stands first
    page.goto(f"{live_url}/sessions/")

    page.keyboard.press("g")
    page.keyboard.press("j")
    page.wait_for_url("**/jobs/")
    page.keyboard.press("j")
    page.keyboard.press("o")
    expect(page.locator(f"#job-{chosen.pk} .trace")).to_be_visible()
    page.keyboard.press("r")

    expect(page.get_by_text(f"Job {chosen.pk} (Look for memory in a session) is on the list again")).to_be_visible()
    expect(page.locator(f"#job-{chosen.pk}")).to_have_attribute("data-current", "")
    assert Job.objects.get(pk=chosen.pk).state == JobState.QUEUED
    assert Job.objects.filter(state=JobState.DEAD).count() == 1
    assert AuditEntry.objects.get(action="job.retried").actor == "user:alice"


def test_a_job_is_cancelled_by_tab_and_enter(page: Page, world: World, live_url: str) -> None:
    job = running(world)
    page.goto(f"{live_url}/jobs/")

    page.keyboard.press("j")
    for _ in range(3):
        if page.evaluate("document.activeElement.id") == f"job-{job.pk}-cancel":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.get_by_text("its worker stops at its next step")).to_be_visible()
    assert Job.objects.get(pk=job.pk).state == JobState.CANCELLED


def test_a_login_that_has_ended_leads_to_the_login_page(page: Page, world: World, live_url: str) -> None:
    running(world)
    page.goto(f"{live_url}/jobs/")

    Session.objects.all().delete()

    page.wait_for_url("**/login/?next=/jobs/", timeout=15_000)
    expect(page.locator("[name=username]")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Page, world: World, live_url: str, theme: str) -> None:
    running(world)
    late = Job.objects.create(project=world.project, kind="eventlog.derive", key="late")
    Job.objects.filter(pk=late.pk).update(created_at=timezone.now() - timedelta(minutes=5))
    failed = dead(world)
    page.context.add_cookies([{"name": "theme", "value": theme, "url": live_url}])
    page.goto(f"{live_url}/jobs/")
    page.locator(f"#job-{failed.pk}-open").click()

    violations = Axe().run(page).response["violations"]

    serious = [v for v in violations if v["impact"] in ("serious", "critical")]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in serious] == []
