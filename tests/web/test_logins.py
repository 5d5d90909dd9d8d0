"""How long a login lasts, what a wrong password costs, and that production settings pass Django's own examination."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from django.test import Client
from django.urls import reverse

from contextapp.accounts import services
from contextapp.accounts.models import AuditEntry, User
from contextapp.config.local.places import PROJECT
from contextapp.web import logins

PASSWORD = "correct horse battery staple"


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice", password=PASSWORD)


def attempt(client: Client, name: str, password: str, **sent: str) -> object:
    return client.post("/login/", {"username": name, "password": password, "next": "/profile/"}, **sent)


def is_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


def test_passwords_are_kept_by_argon2(alice: User) -> None:
    assert alice.password.startswith("argon2$argon2id$")


def test_too_many_wrong_passwords_lock_name_and_address_out_and_a_link_still_works(client: Client, alice: User) -> None:
    for _ in range(5):
        last = attempt(client, "alice", "wrong")

    assert last.status_code == 429
    assert attempt(client, "alice", PASSWORD).status_code == 429
    assert not is_in(client)
    [entry] = AuditEntry.objects.filter(action="user.locked_out")
    assert (entry.target, entry.after) == ("user:alice", {"failures": 5, "minutes": 15})
    assert attempt(Client(REMOTE_ADDR="10.9.9.9"), "alice", PASSWORD).status_code == 302  # elsewhere she may
    client.post(reverse("login:link", args=[services.create_login_link(user=alice)]))
    assert is_in(client)


def test_a_lockout_ends_after_its_time(client: Client, alice: User, settings: object) -> None:
    from datetime import timedelta

    for _ in range(5):
        attempt(client, "alice", "wrong")
    settings.AXES_COOLOFF_TIME = timedelta(0)  # type: ignore[attr-defined]

    assert attempt(client, "alice", PASSWORD).status_code == 302


def test_an_unknown_name_is_answered_like_a_known_one(alice: User) -> None:
    answers = {}
    for name in ("alice", "nobody"):
        client = Client()
        answers[name] = [
            (answer.status_code, answer.content.decode().replace(name, "").split("csrfmiddlewaretoken")[-1][100:])
            for answer in [attempt(client, name, "wrong") for _ in range(6)]
        ]

    assert [status for status, _ in answers["nobody"]] == [200, 200, 200, 200, 429, 429]
    assert answers["alice"] == answers["nobody"]
    assert (
        AuditEntry.objects.filter(action="user.locked_out").count() == 1
    )  # what nobody has may be a mistyped password


@pytest.mark.parametrize(
    ("behind_proxy", "forwarded", "expected"),
    [
        (False, "1.1.1.1", "127.0.0.1"),
        (True, "6.6.6.6, 1.1.1.1", "1.1.1.1"),
        (True, "", "127.0.0.1"),
    ],
)
def test_the_address_is_the_proxy_s_word_only_where_there_is_one(
    rf: object, settings: object, behind_proxy: bool, forwarded: str, expected: str
) -> None:
    settings.BEHIND_PROXY = behind_proxy  # type: ignore[attr-defined]

    request = rf.get("/", headers={"X-Forwarded-For": forwarded})  # type: ignore[attr-defined]

    assert logins.client_address(request) == expected


@pytest.mark.parametrize(("seconds", "steps"), [(12 * 3600 + 5, 1), (6 * 3600 + 60, 28)])
def test_an_idle_login_and_an_old_one_end(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch, seconds: int, steps: int
) -> None:
    attempt(client, "alice", PASSWORD)
    assert is_in(client)
    begun = time.time()

    seen = []
    for step in range(1, steps + 1):
        monkeypatch.setattr(logins.time, "time", lambda step=step: begun + step * seconds)
        seen.append(is_in(client))

    assert seen == [True] * (steps - 1) + [False]


def test_a_login_gets_a_new_key(client: Client, alice: User) -> None:
    client.get("/login/")
    session = client.session
    session["before"] = "kept"
    session.save()
    before = session.session_key

    attempt(client, "alice", PASSWORD)

    assert client.session.session_key != before


def test_a_new_password_ends_every_other_login(client: Client, alice: User) -> None:
    other = Client()
    for each in (client, other):
        attempt(each, "alice", PASSWORD)
    new = "another horse, another staple"

    refused = client.post("/profile/", {"old_password": "wrong", "new_password1": new, "new_password2": new})
    client.post("/profile/", {"old_password": PASSWORD, "new_password1": new, "new_password2": new})

    assert refused.status_code == 422
    assert (is_in(client), is_in(other)) == (True, False)
    assert AuditEntry.objects.filter(action="password.changed", actor="user:alice").count() == 1


def test_who_has_no_password_sets_the_first_and_a_short_one_is_refused(client: Client, db: None) -> None:
    user = services.ensure_administrator()
    client.force_login(user)

    short = client.post("/profile/", {"new_password1": "short", "new_password2": "short"})
    client.post("/profile/", {"new_password1": PASSWORD, "new_password2": PASSWORD})

    assert short.status_code == 422
    assert User.objects.get(id=user.id).check_password(PASSWORD)


def test_a_closed_account_ends_its_logins_and_its_keys_at_once(client: Client, alice: User) -> None:
    from contextapp.accounts.selectors import key_for

    project = services.create_project(slug="p", name="P", by="system")
    _key, text = services.create_api_key(project=project, name="k", scopes=["read"], by=alice)
    attempt(client, "alice", PASSWORD)
    assert is_in(client) and key_for(text) is not None

    services.disable_user(user=alice, by="user:admin")

    assert not is_in(client)
    assert key_for(text) is None
    assert attempt(Client(), "alice", PASSWORD).status_code == 200  # and the form again
    entry = AuditEntry.objects.get(action="user.disabled")
    assert (entry.before, entry.after) == ({"is_active": True}, {"is_active": False})


@pytest.mark.slow
def test_production_settings_pass_the_deployment_check() -> None:
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    environment = {**os.environ, "HTTPS": "true", "SECRET_KEY": "x1Y2z3" * 12, "ALLOWED_HOSTS": "audit.example"}

    told = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)

    assert told.returncode == 0, told.stderr


@pytest.mark.slow
def test_cookies_over_https_belong_to_this_host_alone() -> None:
    names = ("SESSION_COOKIE_NAME", "SESSION_COOKIE_SECURE", "SESSION_COOKIE_PATH", "SESSION_COOKIE_DOMAIN")
    show = f"from django.conf import settings; print(*[getattr(settings, name) for name in {names}])"
    environment = {**os.environ, "HTTPS": "true"}

    told = subprocess.run([sys.executable, "-c", show], cwd=PROJECT, env=environment, capture_output=True, text=True)

    assert told.stdout.split() == ["__Host-contextapp_session", "True", "/", "None"], told.stderr
