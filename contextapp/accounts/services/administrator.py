"""The administrator of the installation and the first project: made at the first start, with no password anywhere."""

from __future__ import annotations

from django.db import transaction

from contextapp.accounts.models import Membership, Project, Role, User
from contextapp.accounts.services.audit import record
from contextapp.accounts.services.members import add_member
from contextapp.accounts.services.people import actor_name
from contextapp.accounts.services.projects import create_project

ADMINISTRATOR = "admin"
DEFAULT_PROJECT = ("default", "My sessions")


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
