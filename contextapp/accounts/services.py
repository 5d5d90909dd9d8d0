"""Who gets in and what is written about what they did. Every change leaves an audit entry in the same transaction."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from contextapp.accounts.models import ApiKey, AuditEntry, LoginLink, Membership, Project, Role, Scope, User
from contextapp.accounts.selectors import KEY_PREFIX, digest

ADMINISTRATOR = "admin"
DEFAULT_PROJECT = ("default", "My sessions")


class LoginLinkRefused(Exception):
    """The link is unknown, used or too old; a new one is printed by `make login`."""


def record(
    *,
    project: Project | None,
    actor: str,
    action: str,
    target: str,
    before: Any = None,
    after: Any = None,
) -> AuditEntry:
    """One line of the audit trail. `action` is a dotted past fact. Any: a JSON value of the action's own shape."""
    return AuditEntry.objects.create(
        project=project, actor=actor[:200], action=action, target=target[:300], before=before, after=after
    )


def actor_name(user: User) -> str:
    """How a person is named in the log and the audit trail."""
    return f"user:{user.get_username()}"


def create_project(*, slug: str, name: str, by: str, is_sample: bool = False) -> Project:
    with transaction.atomic():
        project = Project.objects.create(slug=slug, name=name, is_sample=is_sample)
        record(project=project, actor=by, action="project.created", target=f"project:{slug}", after={"name": name})
    return project


def add_member(*, project: Project, user: User, role: str, by: str) -> Membership:
    """Give the user that role in the project, whichever they had."""
    if role not in Role.values:
        raise ValueError(f"role {role!r} is unknown; choose one of {', '.join(Role.values)}")
    with transaction.atomic():
        before = Membership.objects.select_for_update().filter(project=project, user=user).first()
        membership, _ = Membership.objects.update_or_create(project=project, user=user, defaults={"role": role})
        record(
            project=project,
            actor=by,
            action="member.added" if before is None else "member.role_changed",
            target=actor_name(user),
            before=None if before is None else {"role": before.role},
            after={"role": role},
        )
    return membership


def create_api_key(
    *, project: Project, name: str, scopes: Sequence[str], by: User | str, expires_at: datetime | None = None
) -> tuple[ApiKey, str]:
    """The key and its text `ctx_<key_id>_<secret>`, which is shown once and kept nowhere."""
    unknown = sorted(set(scopes) - set(Scope.values))
    if unknown or not scopes:
        given = repr(unknown[0]) if unknown else "an empty list"
        raise ValueError(f"scope {given} is unknown; choose from {', '.join(Scope.values)}")
    key_id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
    with transaction.atomic():
        key = ApiKey.objects.create(
            project=project,
            key_id=key_id,
            secret_sha256=digest(secret),
            name=name,
            scopes=sorted(set(scopes)),
            created_by=by if isinstance(by, User) else None,
            expires_at=expires_at,
        )
        record(
            project=project,
            actor=actor_name(by) if isinstance(by, User) else by,
            action="api_key.created",
            target=f"api_key:{key_id}",
            after={"name": name, "scopes": key.scopes},
        )
    return key, f"{KEY_PREFIX}_{key_id}_{secret}"


def revoke_api_key(*, key: ApiKey, by: str) -> ApiKey:
    """From now on the key opens nothing. Revoking twice keeps the first time."""
    with transaction.atomic():
        if ApiKey.objects.filter(id=key.id, revoked_at=None).update(revoked_at=timezone.now()) == 1:
            record(project=key.project, actor=by, action="api_key.revoked", target=f"api_key:{key.key_id}")
        key.refresh_from_db()
    return key


def note_key_use(*, key: ApiKey) -> None:
    """Remember that the key was used, at most once a minute."""
    now = timezone.now()
    if key.last_used_at is None or (now - key.last_used_at).total_seconds() > 60:
        ApiKey.objects.filter(id=key.id).update(last_used_at=now)


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


def ensure_administrator() -> User:
    """The administrator and the project of their own sessions; made at the first start, found at every other."""
    with transaction.atomic():
        user = User.objects.filter(username=ADMINISTRATOR).first()
        if user is None:
            user = User(username=ADMINISTRATOR, is_superuser=True, is_staff=True)
            user.set_unusable_password()  # the way in is a login link
            user.save()
            record(project=None, actor="system", action="user.created", target=actor_name(user))
        slug, name = DEFAULT_PROJECT
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            project = create_project(slug=slug, name=name, by="system")
        if not Membership.objects.filter(project=project, user=user).exists():
            add_member(project=project, user=user, role=Role.ADMIN, by="system")
    return user
