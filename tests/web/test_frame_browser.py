"""The frame, the sessions list and the imports in a browser: keys, theme, paging in place, no script at all, and axe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from contextapp.intake.services import run_import, start_upload
from contextapp.jobs.models import Job
from tests.databases import CommittedDatabase
from tests.world import World, build_world

pytestmark = pytest.mark.browser
SERIOUS = ("serious", "critical")
CHAT = b'[{"role": "user", "content": "List the failing tests."}, {"role": "assistant", "content": "Two."}]\n{"bad\x1b'
NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Site:
    page: Page
    url: str
    world: World

    def open(self, path: str) -> Page:
        self.page.goto(f"{self.url}{path}")
        return self.page

    def wear(self, theme: str, language: str) -> None:
        for name, value in (("theme", theme), ("django_language", language)):
            self.page.context.add_cookies([{"name": name, "value": value, "url": self.url}])


@pytest.fixture
def site(committed_db: CommittedDatabase, live_url: str, browser_page: Page) -> Iterator[Site]:
    world = build_world()
    for number in range(11):
        world.open_session(
            workspace_root="/home/alice/parser-kit",
            title=f"session {number}",
            started_at=NOON - timedelta(hours=number),
        )
    client = Client()
    client.force_login(world.alice)
    cookie = client.cookies["contextapp_session"].value
    browser_page.context.add_cookies([{"name": "contextapp_session", "value": cookie, "url": live_url}])
    refused: list[str] = []
    browser_page.on("console", lambda said: refused.append(said.text) if said.type == "error" else None)
    yield Site(browser_page, live_url, world)
    assert refused == []


def current(page: Page) -> str:
    return page.locator("tr[data-current] a").first.inner_text()


def test_j_and_k_walk_the_rows_and_o_opens_one(site: Site) -> None:
    page = site.open("/sessions/")

    for key in "jjjk":
        page.keyboard.press(key)

    assert current(page) == "session 1"
    page.keyboard.press("o")
    page.wait_for_url("**/sessions/*-*/")


def test_question_mark_shows_the_keys_and_escape_closes_them(site: Site) -> None:
    page = site.open("/sessions/")

    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")

    expect(page.locator("#keys")).to_be_hidden()


def test_g_then_i_goes_to_the_imports_and_slash_searches(site: Site) -> None:
    page = site.open("/sessions/")

    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/imports/")
    page.keyboard.press("/")
    page.keyboard.type("session 7\n")
    page.wait_for_url("**/sessions/?q=session+7")

    assert page.locator("td.title").all_inner_texts() == ["session 7"]


def test_letters_typed_into_a_field_are_letters(site: Site) -> None:
    page = site.open("/sessions/")

    page.locator("input[type=search]").fill("")
    page.locator("input[type=search]").type("jk?gs")

    assert page.locator("input[type=search]").input_value() == "jk?gs"
    expect(page.locator("#keys")).to_be_hidden()


def test_keys_that_were_turned_off_do_nothing(site: Site) -> None:
    page = site.open("/sessions/")

    page.locator("details.menu summary", has_text="alice").click()
    page.get_by_role("button", name="Turn single-letter keys off").click()
    page.wait_for_load_state()
    page.keyboard.press("j")
    page.keyboard.press("?")

    assert page.locator("tr[data-current]").count() == 0
    expect(page.locator("#keys")).to_be_hidden()


def test_the_theme_changes_without_a_reload_and_stays(site: Site) -> None:
    page = site.open("/sessions/")
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")

    with page.expect_response("**/preferences/"):
        page.locator("[data-theme-switch] button").click()
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.reload()

    assert light != dark
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_a_workspace_goes_on_in_place(site: Site) -> None:
    page = site.open("/sessions/")

    page.get_by_text("5 more in this workspace").click()
    expect(page.locator("td.title")).to_have_count(11)

    assert page.url.endswith("/sessions/")
    assert page.locator(".more").count() == 0


def test_a_filter_applies_when_it_is_chosen(site: Site) -> None:
    page = site.open("/sessions/")

    page.get_by_label("denial").check()
    page.wait_for_url("**/sessions/?flag=denial")

    assert "None of the 11 sessions" in page.locator("main").inner_text()


def test_a_chosen_file_is_named_and_its_import_followed_until_it_is_done(site: Site) -> None:
    page = site.open("/imports/new/")

    page.locator("#files").set_input_files([{"name": "chat.json", "mimeType": "application/json", "buffer": CHAT[:99]}])
    assert "chat.json" in page.locator("[data-drop] ul").inner_text()
    page.get_by_role("button", name="Upload and import").click()
    page.wait_for_url("**/imports/*-*/")
    expect(page.locator("#import")).to_have_attribute("hx-trigger", "every 1s")
    run_import(Job.objects.get(kind="import.run").payload["import_id"])
    expect(page.locator("#import")).not_to_have_attribute("hx-trigger", "every 1s")

    assert "Done" in page.locator("[role=status]").inner_text()


def test_everything_works_without_script(site: Site) -> None:
    browser = site.page.context.browser
    assert browser is not None
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(site.page.context.cookies())
    page = context.new_page()

    page.goto(f"{site.url}/sessions/")
    page.get_by_label("denial").check()
    page.get_by_role("button", name="Filter").click()
    assert page.url.endswith("flag=denial")
    page.goto(f"{site.url}/sessions/")
    page.get_by_text("5 more in this workspace").click()
    assert page.locator("td.title").count() == 5
    page.locator("[data-theme-switch] button").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.get_by_role("button", name="中文").click()
    assert page.locator("html").get_attribute("lang") == "zh-hans"
    context.close()


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-hans")])
def test_axe_finds_nothing_serious(site: Site, theme: str, language: str) -> None:
    site.wear(theme, language)
    batch = start_upload(project=site.world.project, files=[("chat.jsonl", CHAT)], requested_by="user:alice")
    run_import(batch.id)
    paths = ["/sessions/", "/imports/", "/imports/new/", f"/imports/{batch.id}/", f"/imports/{batch.id}/forget/"]

    found = {}
    for path in [*paths, "/sessions/?q=nothing"]:
        violations = Axe().run(site.open(path)).response["violations"]
        found[path] = [(v["id"], v["nodes"][0]["html"][:200]) for v in violations if v["impact"] in SERIOUS]
    site.page.context.clear_cookies(name="contextapp_session")
    for path in ("/login/", "/login/some-token/"):
        violations = Axe().run(site.open(path)).response["violations"]
        found[path] = [(v["id"], v["nodes"][0]["html"][:200]) for v in violations if v["impact"] in SERIOUS]

    assert found == dict.fromkeys(found, [])
