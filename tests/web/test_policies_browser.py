"""A draft in a browser: what one bucket takes the donor gives, locked ones never, the preview follows at once; axe."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from contextapp.engine.policy import Policy
from contextapp.policy.services import create_draft
from tests.databases import CommittedDatabase
from tests.web.recorded import a_session
from tests.world import build_world

pytestmark = pytest.mark.browser
EDIT = "/policies/wonderland/2/edit/"
PREVIEW_MS = 300


@pytest.fixture
def page(committed_db: CommittedDatabase, live_url: str, browser_page: Page) -> Iterator[Page]:
    world = build_world()
    a_session(world)
    create_draft(project=world.project, body=Policy().to_dict(), by="user:alice")
    client = Client()
    client.force_login(world.alice)
    cookie = {"name": "contextapp_session", "value": client.cookies["contextapp_session"].value, "url": live_url}
    browser_page.context.add_cookies([cookie])
    browser_page.goto(f"{live_url}{EDIT}")
    yield browser_page


def slide(page: Page, bucket: str, value: int) -> None:
    script = "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})); }"
    page.locator(f"[data-bucket={bucket}] [data-slider]").evaluate(script, value)


def percents(page: Page) -> dict[str, int]:
    rows = page.locator("[data-bucket]").evaluate_all(
        "rows => rows.map(row => [row.dataset.bucket, Number(row.querySelector('[data-percent]').value)])"
    )
    return dict(rows)


def test_the_donor_gives_what_a_bucket_takes_and_a_locked_one_never(page: Page) -> None:
    slide(page, "memory", 9)
    assert percents(page) == Policy().to_dict()["ratios"] | {"memory": 9, "transcript": 56}

    page.locator("[data-bucket=transcript] [data-lock]").check()
    page.locator("[data-bucket=memory] [data-percent]").fill("12")
    page.locator("[data-bucket=memory] [data-percent]").press("Tab")

    after = percents(page)
    assert (after["memory"], after["transcript"], sum(after.values())) == (12, 56, 100)
    expect(page.locator("[data-total]")).to_have_text("100")
    width = page.locator("[data-slice=memory] rect").get_attribute("width")
    assert width == "12%"


def test_no_move_leaves_a_bucket_beneath_its_floor(page: Page) -> None:
    slide(page, "memory", 100)

    after = percents(page)
    assert (after["instructions"], after["transcript"], after["reserve"]) == (1, 20, 2)
    assert sum(after.values()) == 100


def test_the_preview_follows_a_move_within_its_time(page: Page) -> None:
    cell = page.locator("#preview tbody tr").nth(1).locator("td").first
    slide(page, "memory", 7)  # what is read for the step is remembered from here on
    expect(cell).to_contain_text("→")

    started = monotonic()
    with page.expect_response(lambda response: response.request.method == "POST"):
        slide(page, "memory", 11)
    expect(cell).to_contain_text(f"→ {200_000 * 11 // 100:,}")
    took = (monotonic() - started) * 1000

    assert took < PREVIEW_MS


def test_a_slid_draft_is_saved(page: Page) -> None:
    slide(page, "reserve", 15)
    page.get_by_role("button", name="Save the draft").click()

    row = page.locator(".changes tr", has_text="ratios.reserve")
    expect(row).to_contain_text("15")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Page, live_url: str, theme: str) -> None:
    page.context.add_cookies([{"name": "theme", "value": theme, "url": live_url}])

    found = {}
    for path in ("/policies/", "/policies/wonderland/2/", EDIT):
        page.goto(f"{live_url}{path}")
        violations = Axe().run(page).response["violations"]
        serious = [v for v in violations if v["impact"] in ("serious", "critical")]
        found[path] = [(v["id"], v["nodes"][0]["html"][:200]) for v in serious]

    assert found == dict.fromkeys(found, [])
