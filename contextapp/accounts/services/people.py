"""People: passwords, accounts closed and opened again, logins and lockouts as they are told."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from contextapp.accounts.models import AuditEntry, User
from contextapp.accounts.services.audit import record


def actor_name(user: User) -> str:
    """How a person is named in the log and the audit trail."""
    return f"user:{user.get_username()}"


def change_password(*, user: User, password: str) -> User:
    """Every login of the person ends, since each carries a mark of the password; the caller may renew its own."""
    with transaction.atomic():
        action = "password.changed" if user.has_usable_password() else "password.set"
        user.set_password(password)
        user.save(update_fields=["password"])
        record(project=None, actor=actor_name(user), action=action, target=actor_name(user))
    return user


def disable_user(*, user: User, by: str) -> User:
    """Closes the account at once: logins end with the next request, and keys that the person made open nothing."""
    return _set_active(user, False, "user.disabled", by)


def enable_user(*, user: User, by: str) -> User:
    return _set_active(user, True, "user.enabled", by)


def note_login(*, user: User, way: str) -> None:
    record(project=None, actor=actor_name(user), action="user.logged_in", target=way)


def note_lockout(*, username: str, failures: int, for_: timedelta) -> None:
    """One entry per lockout of a person. A name that nobody has is not written down: it may be a mistyped password."""
    user = User.objects.filter(username=username).first()
    if user is None:
        return
    told = AuditEntry.objects.filter(target=actor_name(user), actor="system", action="user.locked_out")
    if told.filter(at__gt=timezone.now() - for_).exists():
        return
    after = {"failures": failures, "minutes": int(for_.total_seconds() // 60)}
    record(project=None, actor="system", action="user.locked_out", target=actor_name(user), after=after)


def _set_active(user: User, is_active: bool, action: str, by: str) -> User:
    with transaction.atomic():
        if User.objects.filter(id=user.id, is_active=not is_active).update(is_active=is_active) == 1:
            record(
                project=None,
                actor=by,
                action=action,
                target=actor_name(user),
                before={"is_active": not is_active},
                after={"is_active": is_active},
            )
        user.refresh_from_db()
    return user
