"""Who is a member of a project and as what. A project is never left without an admin."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from contextapp.accounts.errors import LastAdmin
from contextapp.accounts.models import Membership, Project, Role, User
from contextapp.accounts.services.audit import record
from contextapp.accounts.services.people import actor_name


def add_member(*, project: Project, user: User, role: str, by: str) -> Membership:
    """Give the user that role in the project, whichever they had."""
    if role not in Role.values:
        raise ValueError(f"role {role!r} is unknown; choose one of {', '.join(Role.values)}")
    with transaction.atomic():
        before = _locked(project, user)
        if before is not None and before.role == role:
            return before
        if before is not None and before.role == Role.ADMIN:
            _leave_an_admin(project, user)
        membership, _made = Membership.objects.update_or_create(project=project, user=user, defaults={"role": role})
        record(
            project=project,
            actor=by,
            action="member.added" if before is None else "member.role_changed",
            target=actor_name(user),
            before=None if before is None else {"role": before.role},
            after={"role": role},
        )
    return membership


def remove_member(*, project: Project, user: User, by: str) -> None:
    """The person reaches the project no more. Removing who is no member changes nothing."""
    with transaction.atomic():
        before = _locked(project, user)
        if before is None:
            return
        if before.role == Role.ADMIN:
            _leave_an_admin(project, user)
        before.delete()
        record(
            project=project, actor=by, action="member.removed", target=actor_name(user), before={"role": before.role}
        )


def _locked(project: Project, user: User) -> Membership | None:
    """The membership as it stands; changes of members of one project wait for each other."""
    Project.objects.select_for_update(no_key=True).get(id=project.id)
    return Membership.objects.filter(project=project, user=user).first()


def _leave_an_admin(project: Project, user: User) -> None:
    others = Membership.objects.filter(project=project, role=Role.ADMIN, user__is_active=True).exclude(user=user)
    if not others.exists():
        text = _("%(name)s is the only admin of %(project)s. Make somebody else an admin first.")
        raise LastAdmin(text % {"name": user.get_username(), "project": project.name})
