"""The sessions list by workspace: the newest few of each, and how many more there are. Never loads a whole workspace."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from django.db.models import Count, F, Max, Window
from django.db.models.functions import RowNumber

from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors.sessions import SessionFilters, filtered, position, runs_of

NO_WORKSPACE = 0


@dataclass(frozen=True, slots=True)
class Group:
    """`workspace_id` is 0 where a transcript names none. `next_cursor` continues the workspace in `list_sessions`."""

    workspace_id: int
    name: str
    root: str
    count: int
    sessions: tuple[Session, ...]
    next_cursor: str


@dataclass(frozen=True, slots=True)
class GroupList:
    """Workspaces in order of their newest session; `after` asks for those behind that workspace, None at the end."""

    groups: tuple[Group, ...]
    group_count: int
    matching: int
    total: int
    after: int | None


def group_sessions(
    project_ids: Collection[UUID],
    filters: SessionFilters | None = None,
    after: int | None = None,
    limit: int = 12,
    per_group: int = 6,
) -> GroupList:
    """Three queries however many workspaces and sessions there are."""
    everything = runs_of(project_ids)
    matching = filtered(everything, filters or SessionFilters())
    workspaces = tuple(
        matching.order_by()
        .values_list("workspace_id", "workspace__name", "workspace__root")
        .annotate(number=Count("id"), newest=Max("started_at"))
        .order_by(F("newest").desc(nulls_last=True), "workspace_id")
    )
    page = list(islice(_behind(workspaces, after), limit + 1))
    shown, more = page[:limit], len(page) > limit
    newest = F("started_at").desc(nulls_last=True)
    rank = Window(RowNumber(), partition_by=["workspace_id"], order_by=[newest, F("id").asc()])
    wanted = matching.filter(workspace_id__in=[row[0] for row in shown if row[0] is not None])
    if any(row[0] is None for row in shown):
        wanted = wanted | matching.filter(workspace_id=None)
    rows: dict[int | None, list[Session]] = {}
    ranked = wanted.annotate(rank=rank).filter(rank__lte=per_group).select_related("workspace", "project")
    for session in ranked.order_by(newest, "id"):
        rows.setdefault(session.workspace_id, []).append(session)
    groups = tuple(_group(row, rows.get(row[0], [])) for row in shown)
    return GroupList(
        groups=groups,
        group_count=len(workspaces),
        matching=sum(row[3] for row in workspaces),
        total=everything.count(),
        after=groups[-1].workspace_id if more else None,
    )


type _Row = tuple[int | None, str | None, str | None, int, datetime | None]


def _group(row: _Row, sessions: list[Session]) -> Group:
    workspace_id, name, root, count, _ = row
    cursor = position(sessions[-1]) if sessions and count > len(sessions) else ""
    return Group(workspace_id or NO_WORKSPACE, name or "", root or "", count, tuple(sessions), cursor)


def _behind(workspaces: Iterable[_Row], after: int | None) -> Iterable[_Row]:
    """Those after the workspace, or all of them where it is not in the list (any more)."""
    rows = tuple(workspaces)
    ids = [row[0] or NO_WORKSPACE for row in rows]
    return rows[ids.index(after) + 1 :] if after in ids else rows
