"""Who reaches which project, by the one table; and the one-time way in."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from contextapp.accounts import permissions
from contextapp.accounts.models import AuditEntry, LoginLink, Membership, Project, Role, User
from contextapp.accounts.selectors import project_for, projects_of, role_in
from contextapp.accounts.services import (
    LoginLinkRefused,
    add_member,
    create_login_link,
    create_project,
    ensure_administrator,
    use_login_link,
)
from tests.world import World


def test_members_reach_their_projects_alone(world: World) -> None:
    assert list(projects_of(world.alice)) == [world.project]
    assert list(projects_of(world.bob)) == [world.project]
    assert list(projects_of(world.charlie)) == [world.foreign_project]
    assert project_for(world.alice, "wonderland") == world.project
    assert project_for(world.charlie, "wonderland") is None


def test_roles_are_told_and_strangers_have_none(world: World) -> None:
    assert role_in(world.alice, world.project) == "admin"
    assert role_in(world.bob, world.project.id) == "reviewer"
    assert role_in(world.charlie, world.project) is None


def test_the_administrator_is_a_member_of_all(world: World) -> None:
    administrator = ensure_administrator()

    assert {project.slug for project in projects_of(administrator)} == {"default", "wonderland", "elsewhere"}
    assert role_in(administrator, world.foreign_project) == "admin"


def test_who_is_not_active_reaches_nothing(world: World) -> None:
    world.alice.is_active = False

    assert list(projects_of(world.alice)) == []
    assert role_in(world.alice, world.project) is None


@pytest.mark.parametrize(
    ("role", "permitted"),
    [
        (Role.ADMIN, {"policy.change", "session.erase", "memory.review", "session.read"}),
        (Role.REVIEWER, {"memory.review", "session.read"}),
        (Role.AUDITOR, {"session.export", "session.verify", "session.read", "audit.read"}),
        (Role.DEVELOPER, {"import.start", "context.build", "session.read"}),
        (None, set()),
        ("owner", set()),
    ],
)
def test_the_table_decides(role: str | None, permitted: set[str]) -> None:
    sensitive = {"policy.change", "session.erase", "memory.review", "session.export", "import.start", "context.build",
                 "session.read", "session.verify", "audit.read"}  # fmt: skip
    granted = {action for action in sensitive if permissions.may(role, action)}

    assert permitted <= granted
    assert granted - permitted <= ({"session.verify"} if role != Role.ADMIN else sensitive) if role else not granted


def test_every_role_and_scope_is_in_the_table() -> None:
    assert set(permissions.PERMITTED) == set(Role.values)
    assert set(permissions.SCOPE_PERMITS) == {"ingest", "build", "read", "verify"}


def test_a_change_of_role_is_audited_with_what_was_before(world: World) -> None:
    add_member(project=world.project, user=world.bob, role="auditor", by="user:alice")

    entry = AuditEntry.objects.get(action="member.role_changed")
    assert (entry.before, entry.after, entry.target) == ({"role": "reviewer"}, {"role": "auditor"}, "user:bob")
    assert Membership.objects.filter(user=world.bob).count() == 1


def test_an_unknown_role_is_refused(world: World) -> None:
    with pytest.raises(ValueError, match="role 'boss' is unknown"):
        add_member(project=world.project, user=world.bob, role="boss", by="user:alice")


def test_creating_a_project_is_audited(db: None) -> None:
    project = create_project(slug="p", name="P", by="user:x")

    assert AuditEntry.objects.get(action="project.created").project == project
    assert len(bytes(project.fence_secret)) == 32


def test_a_login_link_works_once(world: World) -> None:
    token = create_login_link(user=world.bob)

    assert use_login_link(token=token) == world.bob
    with pytest.raises(LoginLinkRefused):
        use_login_link(token=token)
    assert token not in str(LoginLink.objects.values().get())


@pytest.mark.parametrize("token", ["", "nonsense", "\0", "\ud800"])
def test_an_unknown_link_is_refused(db: None, token: str) -> None:
    with pytest.raises(LoginLinkRefused, match="unknown, used or too old"):
        use_login_link(token=token)


def test_an_old_link_and_one_of_a_disabled_person_are_refused(world: World) -> None:
    old, disabled = create_login_link(user=world.alice), create_login_link(user=world.bob)
    LoginLink.objects.filter(user=world.alice).update(expires_at=timezone.now() - timedelta(seconds=1))
    User.objects.filter(id=world.bob.id).update(is_active=False)

    for token in (old, disabled):
        with pytest.raises(LoginLinkRefused):
            use_login_link(token=token)


def test_the_first_start_makes_the_administrator_and_their_project_once(db: None) -> None:
    first, second = ensure_administrator(), ensure_administrator()

    assert first == second
    assert (first.is_superuser, first.has_usable_password()) == (True, False)
    assert Project.objects.get().name == "My sessions"
    assert Membership.objects.get().role == "admin"


@pytest.mark.parametrize(
    ("environment", "start"),
    [
        ({}, "http://127.0.0.1:8000/login/"),
        ({"HOST": "0.0.0.0", "PORT": "9000"}, "http://127.0.0.1:9000/login/"),
        ({"HOST": "ctx.example"}, "http://ctx.example:8000/login/"),
    ],
)
def test_the_command_prints_a_link_that_works(
    db: None, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], start: str
) -> None:
    for name in ("HOST", "PORT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    output = StringIO()

    call_command("login", stdout=output)

    printed = output.getvalue().strip()
    assert printed.startswith(start)
    assert printed.endswith("/")
    assert use_login_link(token=printed.removeprefix(start).rstrip("/")).username == "admin"


def test_the_command_knows_people_by_name(world: World) -> None:
    output = StringIO()

    call_command("login", "bob", "--path", stdout=output)

    token = output.getvalue().strip().removeprefix("/login/").rstrip("/")
    assert use_login_link(token=token) == world.bob
    with pytest.raises(CommandError, match="no active user is called 'nobody'"):
        call_command("login", "nobody")
