"""The settings in a browser: a key that is made and copied, and axe on every page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from contextapp.accounts.selectors import key_for
from tests.databases import CommittedDatabase
from tests.world import build_world

pytestmark = pytest.mark.browser
TABS = ("members", "keys", "masking", "retention", "limits", "audit", "checkpoints")


@pytest.fixture
def page(committed_db: CommittedDatabase, live_url: str, browser_page: Page) -> Iterator[Page]:
    client = Client()
    client.force_login(build_world().alice)
    cookie = {"name": "contextapp_session", "value": client.cookies["contextapp_session"].value, "url": live_url}
    browser_page.context.add_cookies([cookie])
    browser_page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_url)
    browser_page.goto(f"{live_url}/settings/")
    yield browser_page


def test_a_key_is_made_copied_and_opens(page: Page) -> None:
    page.get_by_role("link", name="API keys").click()
    page.get_by_label("Who will hold it").fill("agent")
    page.get_by_role("button", name="Make the key").click()
    page.get_by_role("button", name="Copy").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("[data-copied]").inner_text()
    assert key_for(copied) is not None


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Page, live_url: str, theme: str) -> None:
    page.context.add_cookies([{"name": "theme", "value": theme, "url": live_url}])

    found = {}
    for path in (*(f"/settings/wonderland/{tab}/" for tab in TABS), "/profile/"):
        page.goto(f"{live_url}{path}")
        violations = Axe().run(page).response["violations"]
        serious = [v for v in violations if v["impact"] in ("serious", "critical")]
        found[path] = [(v["id"], v["nodes"][0]["html"][:200]) for v in serious]

    assert found == dict.fromkeys(found, [])
