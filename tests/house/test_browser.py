"""The browser of the test run reaches the served product, and a broken script does not go unnoticed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests import serving

pytestmark = pytest.mark.browser


def test_the_browser_opens_a_page_with_its_styles(live_url: str, browser_page: Page) -> None:
    failed: list[str] = []
    browser_page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)

    response = browser_page.goto(f"{live_url}/login/")

    assert response is not None
    assert response.status == 200
    assert browser_page.evaluate("document.styleSheets.length") >= 1
    assert failed == []


def test_an_error_in_a_script_of_the_page_fails_the_test(chromium: str) -> None:
    with pytest.raises(AssertionError, match="broken on purpose"), serving.page(chromium) as page:
        page.goto("data:text/html,<script>throw new Error('broken on purpose')</script>")
