"""Sessions as a person or key may see them: lookup, list with filters and paging, and what the filters offer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet

from contextapp.accounts.models import ApiKey, User
from contextapp.accounts.selectors import projects_of
from contextapp.eventlog.models import Artifact, Session
from contextapp.eventlog.models.sessions import SessionOrigin

MARKS = {
    "overflow": "overflow_count",
    "compaction": "compaction_count",
    "denial": "denial_count",
    "quarantine": "quarantine_count",
    "error": "error_count",
}


@dataclass(frozen=True, slots=True)
class SessionFilters:
    """What to show. Several marks mean: all of them. Workspace 0: those without one. `parents_only` leaves sub-agents out."""

    text: str = ""
    workspace_id: int | None = None
    agent: str = ""
    model: str = ""
    marks: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    parents_only: bool = False
    origin: str = ""
    status: str = ""  # open or ended; anything else: both
    external_id: str = ""
    workspace_root: str = ""


@dataclass(frozen=True, slots=True)
class SessionList:
    """One page, how many match and how many there are, and where the next page starts (empty at the end)."""

    sessions: tuple[Session, ...]
    matching: int
    total: int
    next_cursor: str


@dataclass(frozen=True, slots=True)
class Menu:
    """What a filter offers: (value, shown name, sessions)."""

    workspaces: tuple[tuple[int, str, int], ...]
    agents: tuple[tuple[str, str, int], ...]
    models: tuple[tuple[str, str, int], ...]


def session_for(reader: User | ApiKey, session_id: UUID | str) -> Session | None:
    """The session, if it lies in a project of the reader; None for a foreign, unknown or malformed id alike."""
    try:
        wanted = session_id if isinstance(session_id, UUID) else UUID(session_id)
    except ValueError:
        return None
    seen = Session.objects.select_related("project", "workspace", "parent").filter(id=wanted)
    if isinstance(reader, ApiKey):
        return seen.filter(project_id=reader.project_id).first()
    return seen.filter(project__in=projects_of(reader)).first()


def titles_of(reader: User, session_ids: Collection[UUID]) -> dict[UUID, str]:
    """The titles of those of the sessions that lie in a project of the person; a session without one has an empty title."""
    if not session_ids:
        return {}
    return dict(Session.objects.filter(id__in=session_ids, project__in=projects_of(reader)).values_list("id", "title"))


def list_sessions(
    project_ids: Collection[UUID], filters: SessionFilters | None = None, cursor: str = "", limit: int = 50
) -> SessionList:
    """Newest first by claimed start, those without one at the end. Erased sessions stay listed, without content."""
    everything = runs_of(project_ids)
    matching = filtered(everything, filters or SessionFilters())
    ordered = matching.select_related("workspace", "project").order_by(F("started_at").desc(nulls_last=True), "id")
    page = list(_after(ordered, cursor)[: limit + 1])
    following = position(page[limit - 1]) if len(page) > limit else ""
    return SessionList(tuple(page[:limit]), matching.count(), everything.count(), following)


def session_count(project_ids: Collection[UUID]) -> int:
    return runs_of(project_ids).count()


def imported_count(project_id: UUID) -> int:
    """Sessions that no agent of this door runs: imported transcripts and samples."""
    return runs_of([project_id]).exclude(origin=SessionOrigin.API).count()


def runs_of(project_ids: Collection[UUID]) -> QuerySet[Session]:
    """The runs of agents: every session but the projects' governance streams."""
    return Session.objects.filter(project_id__in=project_ids).exclude(origin=SessionOrigin.GOVERNANCE)


def children_of(session: Session) -> tuple[Session, ...]:
    """The sub-agents of a session, in order of their start."""
    children = Session.objects.filter(parent=session, project_id=session.project_id)
    return tuple(children.order_by(F("started_at").asc(nulls_last=True), "id"))


def menus(project_ids: Collection[UUID]) -> Menu:
    sessions = runs_of(project_ids)
    workspaces = (
        sessions.filter(workspace__isnull=False)
        .values_list("workspace_id", "workspace__name")
        .annotate(number=Count("id"))
        .order_by("-number", "workspace__name")
    )
    return Menu(tuple(workspaces), _values(sessions, "agent"), _values(sessions, "model"))


def get_artifact(session_id: UUID, sha256: str) -> Artifact | None:
    """The artifact with that hex hash, if an event of this session uses it."""
    try:
        digest = bytes.fromhex(sha256)
    except ValueError:
        return None
    return Artifact.objects.filter(sha256=digest, uses__session_id=session_id).distinct().first()


def _values(sessions: QuerySet[Session], column: str) -> tuple[tuple[str, str, int], ...]:
    counted = sessions.exclude(**{column: ""}).values_list(column).annotate(number=Count("id"))
    return tuple((value, value, number) for value, number in counted.order_by("-number", column))


def filtered(sessions: QuerySet[Session], filters: SessionFilters) -> QuerySet[Session]:
    if filters.text:
        text = filters.text.replace("\0", "")
        sessions = sessions.filter(Q(title__icontains=text) | Q(workspace__name__icontains=text))
    if filters.workspace_id is not None:
        sessions = sessions.filter(workspace_id=filters.workspace_id or None)
    if filters.agent:
        sessions = sessions.filter(agent=filters.agent)
    if filters.model:
        sessions = sessions.filter(model=filters.model)
    if filters.origin:
        sessions = sessions.filter(origin=filters.origin)
    if filters.status in ("open", "ended"):
        sessions = sessions.filter(ended_at__isnull=filters.status == "open")
    if filters.external_id:
        sessions = sessions.filter(external_id=filters.external_id)
    if filters.workspace_root:
        sessions = sessions.filter(workspace__root=filters.workspace_root)
    for mark in filters.marks:
        if mark in MARKS:
            sessions = sessions.filter(**{f"{MARKS[mark]}__gt": 0})
    if filters.since is not None:
        sessions = sessions.filter(started_at__gte=filters.since)
    if filters.until is not None:
        sessions = sessions.filter(started_at__lt=filters.until)
    return sessions.filter(parent=None) if filters.parents_only else sessions


def position(last: Session) -> str:
    """The cursor of what follows this session in the list."""
    started = "" if last.started_at is None else last.started_at.isoformat()
    return f"{started}~{last.id}"


def is_cursor(text: str) -> bool:
    """Whether `position` could have written it."""
    started, _, last_id = text.rpartition("~")
    try:
        UUID(last_id)
        return not started or datetime.fromisoformat(started).tzinfo is not None
    except ValueError:
        return False


def _after(sessions: QuerySet[Session], cursor: str) -> QuerySet[Session]:
    """What follows the cursor. A cursor that can't be read starts from the beginning: it came from an address line."""
    started, _, last_id = cursor.rpartition("~")
    try:
        after = UUID(last_id)
        instant = datetime.fromisoformat(started) if started else None
    except ValueError:
        return sessions
    if instant is None:
        return sessions.filter(started_at=None, id__gt=after)
    if instant.tzinfo is None:
        return sessions
    return sessions.filter(Q(started_at__lt=instant) | Q(started_at=instant, id__gt=after) | Q(started_at=None))
