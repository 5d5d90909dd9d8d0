"""Serves the product to a browser inside the test run, and opens that browser. Never leaves the loopback address."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.handlers.wsgi import WSGIHandler
from django.db import connections
from django.test.testcases import QuietWSGIRequestHandler, ThreadedWSGIServer
from playwright.sync_api import Page, sync_playwright

FLAGS = [
    "--no-sandbox",  # CI runs as root
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def served() -> Iterator[str]:
    """Threads, not a process: they share this process's database settings and start at once."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), QuietWSGIRequestHandler, allow_reuse_address=False)
    server.set_app(WSGIHandler())
    server.daemon_threads = False  # closing waits for requests at work, or one would reopen a database that is dropped
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def find_chromium() -> str | None:
    names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    return next((found for name in names if name and (found := shutil.which(name))), None)


@contextmanager
def page(chromium: str) -> Iterator[Page]:
    """Playwright keeps an event loop in this thread; Django would refuse the database beside it."""
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    errors: list[str] = []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            opened = browser.new_page(viewport={"width": 1280, "height": 800})
            opened.on("pageerror", lambda error: errors.append(str(error)))
            yield opened
            if not opened.is_closed():
                opened.evaluate("0")  # its answer comes after every error that happened before
            browser.close()
            connections.close_all()  # while the loop runs this thread has connections of its own; the next test must not
    finally:
        if before is None:
            del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
        else:
            os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before
    assert errors == [], f"scripts of the page failed: {errors}"
