"""One-time invitations into a project. Shown once, used once, for a time; who accepts joins with the role it names."""

from __future__ import annotations

import secrets
from datetime import timedelta
from hashlib import sha256

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contextapp.accounts.errors import InvitationRefused, SettingRefused
from contextapp.accounts.models import Invitation, Membership, Project, Role, User
from contextapp.accounts.selectors import open_invitation
from contextapp.accounts.services.audit import record
from contextapp.accounts.services.members import add_member
from contextapp.accounts.services.people import actor_name


def create_invitation(
    *, project: Project, role: str, lifetime: timedelta, by: User, note: str = ""
) -> tuple[Invitation, str]:
    """The invitation and the token of its link, which is shown once and kept nowhere."""
    if role not in Role.values:
        raise ValueError(f"role {role!r} is unknown; choose one of {', '.join(Role.values)}")
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        made = Invitation.objects.create(
            project=project,
            role=role,
            note=note[:100],
            token_sha256=sha256(token.encode()).digest(),
            created_by=by,
            expires_at=timezone.now() + lifetime,
        )
        record(
            project=project,
            actor=actor_name(by),
            action="invitation.created",
            target=f"invitation:{made.id}",
            after={"role": role, "note": made.note, "expires_at": made.expires_at.isoformat()},
        )
    return made, token


def revoke_invitation(*, invitation: Invitation, by: str) -> None:
    """The link opens nothing from now on. One that was used or revoked stays as it is."""
    with transaction.atomic():
        now = timezone.now()
        unused = Invitation.objects.filter(id=invitation.id, accepted_at=None, revoked_at=None)
        if unused.update(revoked_at=now) == 1:
            record(
                project=invitation.project,
                actor=by,
                action="invitation.revoked",
                target=f"invitation:{invitation.id}",
                before={"role": invitation.role, "note": invitation.note},
                after={"revoked_at": now.isoformat()},
            )


def accept_invitation(*, token: str, user: User | None = None, username: str = "", password: str = "") -> User:
    """Join as the person who is logged in, or as a new one with that name and password. The invitation is used up.

    A role that the person has already and that is not the one of the invitation is replaced by it.
    """
    with transaction.atomic():
        found = open_invitation(token)
        if found is None:
            raise InvitationRefused(_("This invitation was used or revoked, or it is too old. Ask for another."))
        joined = user or _new_user(username, password)
        now = timezone.now()
        if (
            Invitation.objects.filter(id=found.id, accepted_at=None, revoked_at=None).update(
                accepted_at=now, accepted_by=joined
            )
            != 1
        ):
            raise InvitationRefused(_("This invitation was used or revoked, or it is too old. Ask for another."))
        record(
            project=found.project,
            actor=actor_name(joined),
            action="invitation.accepted",
            target=f"invitation:{found.id}",
            before={"role": _role_before(found.project, joined)},
            after={"role": found.role},
        )
        add_member(project=found.project, user=joined, role=found.role, by=actor_name(joined))
    return joined


def _new_user(username: str, password: str) -> User:
    user = User(username=username)
    try:
        User.username_validator(username)
        if not 1 <= len(username) <= 150:
            raise SettingRefused("username", _("A user name has between 1 and 150 characters."))
    except ValidationError as error:
        raise SettingRefused("username", " ".join(error.messages)) from error
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise SettingRefused("password", " ".join(error.messages)) from error
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError as error:
        text = _("The name %(name)s is taken. Choose another, or log in first if it is yours.")
        raise SettingRefused("username", text % {"name": username}) from error
    record(project=None, actor="system", action="user.created", target=actor_name(user))
    return user


def _role_before(project: Project, user: User) -> str | None:
    return Membership.objects.filter(project=project, user=user).values_list("role", flat=True).first()
