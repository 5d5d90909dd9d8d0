"""The pages of a session in a browser: keys, hover, opening in place, both themes and languages, and axe on each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page

from tests.databases import CommittedDatabase
from tests.web.recorded import a_session
from tests.world import build_world

pytestmark = pytest.mark.browser
SERIOUS = ("serious", "critical")


@dataclass(frozen=True, slots=True)
class Site:
    page: Page
    url: str
    session: UUID

    def open(self, path: str = "") -> Page:
        response = self.page.goto(f"{self.url}/sessions/{self.session}/{path}")
        assert response is not None
        assert response.status == 200
        return self.page

    def wear(self, theme: str, language: str) -> None:
        for name, value in (("theme", theme), ("django_language", language)):
            self.page.context.add_cookies([{"name": name, "value": value, "url": self.url}])


@pytest.fixture
def site(committed_db: CommittedDatabase, live_url: str, browser_page: Page) -> Iterator[Site]:
    world = build_world()
    session = a_session(world)
    client = Client()
    client.force_login(world.alice)
    cookie = client.cookies["contextapp_session"].value
    browser_page.context.add_cookies([{"name": "contextapp_session", "value": cookie, "url": live_url}])
    refused: list[str] = []
    browser_page.on("console", lambda said: refused.append(said.text) if said.type == "error" else None)
    yield Site(browser_page, live_url, session)
    assert refused == []


def test_arrow_keys_walk_the_bars_and_enter_opens_the_step(site: Site) -> None:
    page = site.open()

    page.locator(".bars a").last.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")

    assert page.locator(".chart-detail b").inner_text().startswith("step 3")
    assert page.locator('.bars a[tabindex="0"]').count() == 1
    page.keyboard.press("Enter")
    page.wait_for_url("**/steps/3/")


def test_hover_tells_the_figures_of_a_bar(site: Site) -> None:
    page = site.open()

    page.locator(".bars a").first.hover()

    assert page.locator(".chart-detail b").inner_text().startswith("step 1")
    assert "tok" in page.locator(".chart-detail").inner_text()


def test_a_ledger_row_opens_and_closes_in_place(site: Site) -> None:
    page = site.open("steps/3/")

    page.locator("tr.decision a[data-opens-row]").first.click()
    page.locator("tr.opened").wait_for()
    page.locator("[data-closes]").click()

    assert page.locator("tr.opened").count() == 0
    assert "/steps/3/" in page.url


def test_a_filter_changes_the_rows_without_leaving_the_page(site: Site) -> None:
    page = site.open("steps/4/")
    everything = page.locator("tr.decision").count()

    page.get_by_label("excluded").uncheck()
    page.locator(".shown", has_text="of").wait_for()
    page.wait_for_function("before => document.querySelectorAll('tr.decision').length < before", arg=everything)

    assert page.locator("tr.decision.mode-none").count() == 0
    assert "show=included" in page.url


def test_brackets_move_between_steps(site: Site) -> None:
    page = site.open("steps/2/")

    page.keyboard.press("]")
    page.wait_for_url("**/steps/3/**")
    page.keyboard.press("[")
    page.wait_for_url("**/steps/2/**")


def test_the_state_beside_follows_the_turn_that_was_chosen(site: Site) -> None:
    page = site.open()

    page.get_by_role("link", name="state here").first.click()

    page.locator("#session-state", has_text="State at step 2").wait_for()


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-hans")])
def test_axe_finds_nothing_serious(site: Site, theme: str, language: str) -> None:
    site.wear(theme, language)
    tabs = ["steps/3/?tab=saw", "steps/3/?tab=compare", "steps/3/?tab=state", "steps/3/?origin=simulated"]
    found = {}

    for path in ["", "turns/1/", "events/3/", "steps/5/", *tabs]:
        page = site.open(path)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        violations = Axe().run(page).response["violations"]
        found[path] = [
            f"{each['id']}: {node['html'][:160]}"
            for each in violations
            if each["impact"] in SERIOUS
            for node in each["nodes"]
        ]

    assert {path: problems for path, problems in found.items() if problems} == {}
