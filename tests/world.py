"""The one world of the tests: Alice owns a project, Bob reviews in it, Charlie is a stranger with a project of his own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

if TYPE_CHECKING:
    from contextapp.accounts.models import Project, User
    from contextapp.eventlog.models import Session
    from contextapp.eventlog.values import AppendResult, Draft


@dataclass(frozen=True, slots=True)
class World:
    alice: User
    bob: User
    charlie: User
    project: Project
    foreign_project: Project

    def open_session(self, **facts: Any) -> Session:
        from contextapp.eventlog.services import open_session

        return open_session(**{"project_id": self.project.id, "origin": "api", **facts})

    def append(self, session: Session, *events: tuple[str, dict[str, Any]]) -> AppendResult:
        """Append (type, payload) pairs, each with an id of its own."""
        from contextapp.eventlog.services import append

        return append(session_id=session.id, drafts=[draft(kind, payload) for kind, payload in events], actor="test")


def draft(kind: str, payload: dict[str, Any], event_id: UUID | None = None, **others: Any) -> Draft:
    from contextapp.eventlog.values import Draft

    return Draft(event_id or uuid4(), kind, payload, **others)


def build_world() -> World:
    """For a test with a database of its own; others take the fixture."""
    from contextapp.accounts.models import Role, User
    from contextapp.accounts.services import add_member, create_project
    from contextapp.policy.services import ensure_default

    alice, bob, charlie = (User.objects.create_user(name) for name in ("alice", "bob", "charlie"))
    project = create_project(slug="wonderland", name="Wonderland", by="user:alice")
    foreign_project = create_project(slug="elsewhere", name="Elsewhere", by="user:charlie")
    add_member(project=project, user=alice, role=Role.ADMIN, by="user:alice")
    add_member(project=project, user=bob, role=Role.REVIEWER, by="user:alice")
    add_member(project=foreign_project, user=charlie, role=Role.ADMIN, by="user:charlie")
    for owned in (project, foreign_project):
        ensure_default(owned)
    return World(alice, bob, charlie, project, foreign_project)


@pytest.fixture
def world(db: None) -> World:
    return build_world()
