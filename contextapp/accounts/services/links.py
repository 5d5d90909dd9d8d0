"""One-time login links. Only the hash of a token is kept; a link opens once, and only while it is young."""

from __future__ import annotations

import secrets
from hashlib import sha256

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from contextapp.accounts.errors import LoginLinkRefused
from contextapp.accounts.models import LoginLink, User
from contextapp.accounts.services.audit import record
from contextapp.accounts.services.people import actor_name


def create_login_link(*, user: User) -> str:
    """The token of a one-time link; only its hash is kept."""
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        LoginLink.objects.create(
            user=user,
            token_sha256=sha256(token.encode()).digest(),
            expires_at=timezone.now() + settings.LOGIN_LINK_LIFETIME,
        )
        record(project=None, actor="system", action="login_link.created", target=actor_name(user))
    return token


def use_login_link(*, token: str) -> User:
    """The user of an unused link that is still young; the link is used from now on. LoginLinkRefused otherwise."""
    hashed = sha256(token.encode("utf-8", "surrogatepass")).digest()
    now = timezone.now()
    with transaction.atomic():
        fresh = LoginLink.objects.filter(token_sha256=hashed, used_at=None, expires_at__gt=now, user__is_active=True)
        if fresh.update(used_at=now) != 1:
            raise LoginLinkRefused("this login link is unknown, used or too old; run `make login` for another")
        user = LoginLink.objects.select_related("user").get(token_sha256=hashed).user
        record(project=None, actor=actor_name(user), action="user.logged_in", target="login_link")
    return user
