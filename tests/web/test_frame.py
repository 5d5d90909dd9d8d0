"""What every page has: a policy without exceptions, theme and keys from cookies, two languages, errors that help."""

from __future__ import annotations

import pytest
from django.test import Client

from contextapp.accounts.models import User
from contextapp.accounts.services import ensure_administrator


@pytest.fixture
def admin(client: Client, db: None) -> User:
    user = User.objects.create_superuser("admin", password="unused")
    client.force_login(user)
    return user


def test_every_page_carries_the_strict_policy(client: Client, db: None):
    policy = client.get("/login/").headers["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


def test_pages_of_members_are_kept_in_no_cache(client: Client, admin: User):
    ensure_administrator()

    assert client.get("/sessions/").headers["Cache-Control"] == "private, no-store"


def test_htmx_may_not_evaluate_and_keeps_no_history(client: Client, db: None):
    page = client.get("/login/").content.decode()

    assert '"allowEval":false' in page
    assert '"allowScriptTags":false' in page
    assert '"historyCacheSize":0' in page
    assert '"includeIndicatorStyles":false' in page
    assert '"selfRequestsOnly":true' in page


def test_the_theme_follows_the_system_until_one_is_chosen(client: Client, db: None):
    before = client.get("/login/").content.decode()
    client.post("/preferences/", {"theme": "dark", "next": "/login/"})
    chosen = client.get("/login/").content.decode()
    client.post("/preferences/", {"theme": "auto", "next": "/login/"})
    after = client.get("/login/").content.decode()

    assert "data-theme" not in before.split(">")[1]
    assert 'data-theme="dark"' in chosen
    assert 'data-theme="dark"' not in after


def test_a_theme_cookie_of_someone_else_writes_nothing_into_the_page(client: Client, db: None):
    client.cookies["theme"] = '"><script>'

    assert "<script>" not in client.get("/login/").content.decode()


def test_single_letter_keys_can_be_turned_off(client: Client, db: None):
    client.post("/preferences/", {"keys": "off", "next": "/login/"})

    assert 'data-keys="off"' in client.get("/login/").content.decode()


def test_preferences_never_lead_to_another_site(client: Client, db: None):
    assert client.post("/preferences/", {"theme": "dark", "next": "//elsewhere.example"}).url == "/"


def test_the_language_is_a_cookie_and_not_a_part_of_the_address(client: Client, db: None):
    client.post("/language/", {"language": "zh-hans", "next": "/login/"})

    page = client.get("/login/").content.decode()

    assert '<html lang="zh-hans"' in page
    assert "登录" in page


def test_an_address_that_does_not_exist_is_shown_harmlessly(client: Client, admin: User):
    missing = client.get("/nowhere/<b>\x1b/")

    assert missing.status_code == 404
    assert "&lt;b&gt;" in missing.content.decode()
    assert "U+001B" in missing.content.decode()


def test_a_stale_form_is_explained(db: None, settings: object):
    strict = Client(enforce_csrf_checks=True)

    refused = strict.post("/preferences/", {"theme": "dark"})

    assert refused.status_code == 403
    assert "This form has expired" in refused.content.decode()


def test_a_parameter_that_is_no_number_names_its_value(client: Client, admin: User):
    ensure_administrator()

    refused = client.get("/sessions/?workspace=abc")

    assert refused.status_code == 400
    assert "workspace=&#x27;abc&#x27; is not a number" in refused.content.decode()


def test_an_unknown_host_name_points_to_its_setting(client: Client, db: None):
    refused = client.get("/login/", headers={"host": "elsewhere.example"})

    assert refused.status_code == 400
    assert "ALLOWED_HOSTS" in refused.content.decode()


def test_a_fault_has_a_page_that_needs_no_database():
    from django.test import RequestFactory

    from contextapp.web.views.errors import server_error

    page = server_error(RequestFactory().get("/broken/"))

    assert page.status_code == 500
    assert b"make up" in page.content
