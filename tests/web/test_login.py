"""The way in: a one-time link that only its button uses up, a password, and the way out."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from contextapp.accounts import services
from contextapp.accounts.models import LoginLink, User

PASSWORD = "correct horse battery staple"


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice", password=PASSWORD)


@pytest.fixture
def link(alice: User) -> str:
    return reverse("login:link", args=[services.create_login_link(user=alice)])


def test_a_stranger_is_sent_to_the_login_page_and_back(client: Client, alice: User):
    refused = client.get("/imports/?project=x")
    shown = client.get(refused.url)
    sent = client.post("/login/", {"username": "alice", "password": PASSWORD, "next": shown.context["next"]})

    assert refused.url == "/login/?next=/imports/%3Fproject%3Dx"
    assert sent.url == "/imports/?project=x"


def test_the_login_page_names_the_command(client: Client, db: None):
    assert b"make login" in client.get("/login/").content


def test_opening_a_link_does_not_use_it_up(client: Client, link: str):
    client.get(link)
    client.head(link)
    sent = client.post(link)

    assert sent.url == "/"
    assert client.session["_auth_user_id"]


def test_a_link_opens_once(client: Client, link: str):
    client.post(link)
    again = Client().post(link)

    assert again.status_code == 410
    assert b"make login" in again.content


def test_an_old_link_opens_nothing(client: Client, link: str):
    LoginLink.objects.update(expires_at=LoginLink.objects.get().created_at - timedelta(minutes=1))

    assert client.post(link).status_code == 410
    assert "_auth_user_id" not in client.session


def test_a_link_nobody_made_is_answered_like_an_old_one(client: Client, db: None):
    assert client.post("/login/nobody-made-this/").status_code == 410


def test_a_wrong_password_says_so_and_keeps_the_name(client: Client, alice: User):
    refused = client.post("/login/", {"username": "alice", "password": "wrong", "next": "/"})

    assert "_auth_user_id" not in client.session
    assert "do not belong together" in refused.content.decode()
    assert 'value="alice"' in refused.content.decode()


def test_a_login_never_leads_to_another_site(client: Client, alice: User):
    sent = client.post("/login/", {"username": "alice", "password": PASSWORD, "next": "https://elsewhere.example/"})

    assert sent.url == "/"


def test_a_password_is_not_given_back_to_the_page(client: Client, alice: User):
    refused = client.post("/login/", {"username": "alice", "password": "wrong-secret", "next": "/"})

    assert b"wrong-secret" not in refused.content


def test_logging_out_needs_a_post_and_ends_the_session(client: Client, alice: User):
    client.force_login(alice)

    assert client.get("/logout/").status_code == 405
    client.post("/logout/")
    assert "_auth_user_id" not in client.session
