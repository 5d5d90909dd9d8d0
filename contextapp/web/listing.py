"""What the sessions list shows: groups of rows, where each continues, and what its filters offer. Fetches nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from contextapp.eventlog.selectors import GroupList, Menu, SessionList

NO_WORKSPACE = 0
FLAGS = {
    "compaction": ("▼", gettext_lazy("compaction")),
    "overflow": ("!", gettext_lazy("overflow")),
    "denial": ("⊘", gettext_lazy("denial")),
    "error": ("✗", gettext_lazy("error")),
    "quarantine": ("⚑", gettext_lazy("quarantine")),
}
PERIODS = {
    "24h": gettext_lazy("last 24 hours"),
    "7d": gettext_lazy("last 7 days"),
    "30d": gettext_lazy("last 30 days"),
}


@dataclass(frozen=True, slots=True)
class Rows:
    """`count` sessions belong here; `more_href` leads to those that are not among `rows`. No name: continues a group."""

    key: int
    name: str
    root: str
    count: int
    rows: tuple[object, ...]  # sessions, of which the template reads fields
    more_href: str

    @property
    def hidden(self) -> int:
        return self.count - len(self.rows)


@dataclass(frozen=True, slots=True)
class Page:
    groups: tuple[Rows, ...]
    matching: int
    total: int
    hidden_workspaces: int
    next_href: str


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str | Promise
    count: int | None
    chosen: bool


@dataclass(frozen=True, slots=True)
class Choice:
    name: str
    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Flag:
    value: str
    sign: str
    label: str | Promise
    chosen: bool


def by_workspace(found: GroupList, query: QueryDict) -> Page:
    groups = tuple(
        Rows(
            key=group.workspace_id,
            name=group.name or _("No workspace"),
            root=group.root,
            count=group.count,
            rows=group.sessions,
            more_href=_href(query, workspace=group.workspace_id, cursor=group.next_cursor) if group.next_cursor else "",
        )
        for group in found.groups
    )
    next_href = "" if found.after is None else _href(query, after=found.after)
    return Page(groups, found.matching, found.total, found.group_count - len(groups), next_href)


def of_workspace(found: SessionList, query: QueryDict) -> Page:
    """One workspace, from its newest session or from where the list was left."""
    more_href = _href(query, cursor=found.next_cursor) if found.next_cursor else ""
    continued = bool(query.get("cursor"))
    workspace = found.sessions[0].workspace if found.sessions else None
    name = "" if continued else workspace.name if workspace else _("No workspace")
    root = workspace.root if workspace else ""
    rows = Rows(int(query["workspace"]), name, root, found.matching, found.sessions, more_href)
    return Page((rows,) if found.sessions else (), found.matching, found.total, 0, "")


def choices(menu: Menu, total: int, query: QueryDict) -> tuple[Choice, ...]:
    named = sum(number for _id, _name, number in menu.workspaces)
    workspaces = [*menu.workspaces]
    if named < total:
        workspaces.append((NO_WORKSPACE, _("No workspace"), total - named))
    offered: tuple[tuple[str, str, Iterable[tuple[object, str | Promise, int | None]]], ...] = (
        ("workspace", _("Workspace"), workspaces),
        ("agent", _("Agent"), menu.agents),
        ("model", _("Model"), menu.models),
        ("period", _("Any time"), ((value, label, None) for value, label in PERIODS.items())),
    )
    return tuple(
        Choice(
            name,
            label,
            tuple(Option(str(v), shown, count, str(v) == query.get(name)) for v, shown, count in values),
        )
        for name, label, values in offered
    )


def flags(query: QueryDict) -> tuple[Flag, ...]:
    chosen = query.getlist("flag")
    return tuple(Flag(value, sign, label, value in chosen) for value, (sign, label) in FLAGS.items())


def _href(query: QueryDict, **changes: object) -> str:
    """The same filters at another place of the list."""
    changed = query.copy()
    for place in ("cursor", "after"):
        changed.pop(place, None)
    for name, value in changes.items():
        changed.setlist(name, [str(value)])
    return f"{reverse('sessions:list')}?{changed.urlencode()}"
