"""API keys: made, rotated with an overlap, revoked. The text of a key is shown once and kept nowhere."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from contextapp.accounts.models import ApiKey, Project, Scope, User
from contextapp.accounts.selectors import KEY_PREFIX, digest
from contextapp.accounts.services.audit import record
from contextapp.accounts.services.people import actor_name


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
            actor=_actor(by),
            action="api_key.created",
            target=f"api_key:{key_id}",
            after=_described(key),
        )
    return key, f"{KEY_PREFIX}_{key_id}_{secret}"


def rotate_api_key(*, key: ApiKey, overlap: timedelta, by: User | str) -> tuple[ApiKey, str]:
    """A new key with the same name and scopes; the old one ends after the overlap, so that its holders can change over.

    The new key lives as long as the old one was given to live.
    """
    with transaction.atomic():
        old = ApiKey.objects.select_for_update(of=("self",)).select_related("project").get(id=key.id)
        now = timezone.now()
        if old.revoked_at is not None or (old.expires_at is not None and old.expires_at <= now):
            raise ValueError(f"key {old.key_id} opens nothing any more; make a new one instead of rotating it")
        lifetime = None if old.expires_at is None else old.expires_at - old.created_at
        made, text = create_api_key(
            project=old.project,
            name=old.name,
            scopes=old.scopes,
            by=by,
            expires_at=None if lifetime is None else now + lifetime,
        )
        before = _described(old)
        old.expires_at = now + overlap if old.expires_at is None else min(old.expires_at, now + overlap)
        old.save(update_fields=["expires_at"])
        record(
            project=old.project,
            actor=_actor(by),
            action="api_key.rotated",
            target=f"api_key:{old.key_id}",
            before=before,
            after={**_described(old), "replaced_by": made.key_id},
        )
    return made, text


def revoke_api_key(*, key: ApiKey, by: str) -> ApiKey:
    """From now on the key opens nothing. Revoking twice keeps the first time."""
    with transaction.atomic():
        now = timezone.now()
        if ApiKey.objects.filter(id=key.id, revoked_at=None).update(revoked_at=now) == 1:
            record(
                project=key.project,
                actor=by,
                action="api_key.revoked",
                target=f"api_key:{key.key_id}",
                before=_described(key),
                after={"revoked_at": now.isoformat()},
            )
        key.refresh_from_db()
    return key


def note_key_use(*, key: ApiKey) -> None:
    """Remember that the key was used, at most once a minute."""
    now = timezone.now()
    if key.last_used_at is None or (now - key.last_used_at).total_seconds() > 60:
        ApiKey.objects.filter(id=key.id).update(last_used_at=now)


def _actor(by: User | str) -> str:
    return actor_name(by) if isinstance(by, User) else by


def _described(key: ApiKey) -> dict[str, object]:
    return {
        "name": key.name,
        "scopes": key.scopes,
        "expires_at": None if key.expires_at is None else key.expires_at.isoformat(),
    }
