"""Opens sessions and keeps the few facts about them that are not events. Titles are masked like everything else."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction

from contextapp.eventlog.masking.payloads import mask_text
from contextapp.eventlog.masking.projects import rules_for
from contextapp.eventlog.models import Head, Session, Workspace
from contextapp.evidence.chain import GENESIS

_TEXT_LIMITS = {"title": 300, "agent": 60, "agent_version": 60, "model": 120, "user": 200}  # the widths of the columns
FACTS = (
    "title", "agent", "agent_version", "model", "user", "model_window_tokens", "started_at", "ended_at", "parent_id",
    "quarantine_count", "guide",
)  # fmt: skip


def open_session(
    *,
    project_id: UUID,
    origin: str,
    external_id: str = "",
    workspace_root: str = "",
    title: str = "",
    agent: str = "",
    agent_version: str = "",
    model: str = "",
    user: str = "",
    parent_id: UUID | None = None,
    started_at: datetime | None = None,
    session_id: UUID | None = None,
) -> Session:
    """The session of that external id in the project, opened if it is not there. Facts of one that is there stay."""
    with transaction.atomic():
        found = _existing(project_id, external_id)
        if found is not None:
            return found
        session = Session(
            id=session_id or uuid4(),
            project_id=project_id,
            workspace=_workspace(project_id, workspace_root),
            parent_id=parent_id,
            origin=origin,
            external_id=external_id,
            title=_clean(title, _TEXT_LIMITS["title"], project_id),
            agent=_clean(agent, _TEXT_LIMITS["agent"], project_id),
            agent_version=_clean(agent_version, _TEXT_LIMITS["agent_version"], project_id),
            model=_clean(model, _TEXT_LIMITS["model"], project_id),
            user=_clean(user, _TEXT_LIMITS["user"], project_id),
            started_at=started_at,
        )
        try:
            with transaction.atomic():
                session.save(force_insert=True)
                Head.objects.create(session=session, project_id=project_id, head_hash=GENESIS)
        except IntegrityError:
            found = _existing(project_id, external_id)  # another writer opened it between our look and our insert
            if found is None:
                raise
            return found
        return session


def update_session_facts(*, session_id: UUID, workspace_root: str | None = None, **facts: Any) -> None:
    """Set some of FACTS; text is masked and cut to its column. Any: each fact has the type of its column."""
    unknown = set(facts) - set(FACTS)
    if unknown:
        raise ValueError(f"session fact {sorted(unknown)[0]!r} is unknown; known are {', '.join(FACTS)}")
    project_id = Session.objects.values_list("project_id", flat=True).get(id=session_id)
    for name, limit in _TEXT_LIMITS.items():
        if name in facts:
            facts[name] = _clean(facts[name], limit, project_id)
    with transaction.atomic():
        if workspace_root is not None:
            facts["workspace"] = _workspace(project_id, workspace_root)
        if facts:
            Session.objects.filter(id=session_id, erased_at=None).update(**facts)


def _existing(project_id: UUID, external_id: str) -> Session | None:
    if not external_id:
        return None
    return Session.objects.filter(project_id=project_id, external_id=external_id, erased_at=None).first()


def _workspace(project_id: UUID, root: str) -> Workspace | None:
    root = _clean(root, 1000, project_id)
    if not root:
        return None
    path = PureWindowsPath(root) if "\\" in root and "/" not in root else PurePosixPath(root)
    name = (path.name or root)[:200]
    return Workspace.objects.get_or_create(project_id=project_id, root=root, defaults={"name": name})[0]


def _clean(text: str, limit: int, project_id: UUID) -> str:
    """Masked, on one line, without what a text column can't hold, and cut to the column."""
    storable = text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")
    line = " ".join(mask_text(storable, rules_for(project_id).scanner).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
