"""Jobs as pages show them. Takes the reader or their projects and returns theirs only; nothing here changes a job.

Jobs without a project are work on the whole installation: its administrator alone sees them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from contextapp.accounts.models import Project, User
from contextapp.accounts.selectors import projects_of
from contextapp.jobs.handle import LEASE
from contextapp.jobs.models import ATTEMPTS_LIMIT, Job, JobState

DELAYED_AFTER = timedelta(minutes=1)  # two rounds of the sweeper: by then a lost wake-up was sent again

# The parts of the list in their order: which states, by which column, newest first or not.
_PARTS: dict[str, tuple[tuple[JobState, ...], str, bool]] = {
    "running": ((JobState.RUNNING,), "started_at", True),
    "dead": ((JobState.DEAD,), "finished_at", True),
    "queued": ((JobState.QUEUED,), "created_at", False),
    "ended": ((JobState.DONE, JobState.CANCELLED), "finished_at", True),
}
PARTS = tuple(_PARTS)


@dataclass(frozen=True, slots=True)
class JobRow:
    """One job. Its error text and its note were written by the work itself and quote what it worked on: untrusted."""

    id: int
    is_installation: bool
    kind: str
    key: str
    part: str
    state: str
    attempts: int
    session_id: UUID | None
    import_id: UUID | None
    done: int
    total: int
    note: str
    error: str
    lease_owner: str
    is_silent: bool  # it runs, but its worker has let the lease pass
    due_at: datetime | None  # None: it may begin at once
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def attempts_limit(self) -> int:
        return ATTEMPTS_LIMIT

    @property
    def last_line(self) -> str:
        """Where a traceback says what happened."""
        return next((line.strip() for line in reversed(self.error.splitlines()) if line.strip()), "")

    @property
    def permille(self) -> int | None:
        """How far it is; None while it has not said of how much."""
        return min(1000, 1000 * self.done // self.total) if self.total else None


@dataclass(frozen=True, slots=True)
class JobFilters:
    """`part` is one of PARTS, empty for all of them in their order."""

    part: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class JobPage:
    """`counts` are of each part whatever is filtered; an empty cursor: there is no more."""

    rows: tuple[JobRow, ...]
    matching: int
    total: int
    counts: dict[str, int]
    kinds: tuple[tuple[str, int], ...]
    next_cursor: str


@dataclass(frozen=True, slots=True)
class QueueLag:
    """Jobs that may begin and wait for a worker, and how long the longest of them has; none waits: zero and None."""

    due: int
    oldest: timedelta | None

    @property
    def is_delayed(self) -> bool:
        return self.oldest is not None and self.oldest > DELAYED_AFTER


def get_job(kind: str, key: str) -> Job | None:
    return Job.objects.filter(kind=kind, key=key).first()


def is_left(job: Job | None) -> bool:
    """Whether no worker can be at it any more: it ended, and so long ago that a worker has seen its lease was gone."""
    if job is None or job.state in (JobState.QUEUED, JobState.RUNNING) or job.finished_at is None:
        return False
    return job.finished_at < timezone.now() - LEASE


def job_for(user: User, job_id: int) -> Job | None:
    """The job if it lies in a project of the person, or in none and the person administers the installation."""
    mine = Q(project__in=projects_of(user))
    if _administers(user):
        mine |= Q(project=None)
    return Job.objects.select_related("project").filter(mine, pk=job_id).first()


def list_jobs(
    user: User, project: Project, filters: JobFilters | None = None, cursor: str = "", limit: int = 50
) -> JobPage:
    """What runs, what failed for good, what waits in the order of the queue, what has ended."""
    wanted = filters or JobFilters()
    everything = _shown(user, project)
    counted = tuple(everything.order_by().values_list("state", "kind").annotate(number=Count("id")))
    counts = {part: _sum(counted, part=part) for part in PARTS}
    kinds = sorted({kind for _state, kind, _number in counted})
    parts = (wanted.part,) if wanted.part else PARTS
    matching = everything.filter(kind=wanted.kind) if wanted.kind else everything
    found, more = _page(matching, parts, cursor, limit)
    following = _position(*found[-1]) if more else ""
    now = timezone.now()
    rows = tuple(_row(part, job, now) for part, job in found)
    return JobPage(
        rows=rows,
        matching=sum(_sum(counted, part=part, kind=wanted.kind) for part in parts),
        total=sum(counts.values()),
        counts=counts,
        kinds=tuple((kind, _sum(counted, kind=kind)) for kind in kinds),
        next_cursor=following,
    )


def queue_lag(user: User, project: Project) -> QueueLag:
    """The age of the oldest due job that waits, counted from when it was due."""
    now = timezone.now()
    waiting = _shown(user, project).filter(state=JobState.QUEUED)
    due = waiting.filter(Q(not_before=None) | Q(not_before__lte=now))
    since = Greatest("created_at", Coalesce("not_before", "created_at"))
    found = due.aggregate(number=Count("id"), since=Min(since))
    return QueueLag(found["number"], None if found["since"] is None else max(now - found["since"], timedelta(0)))


def open_jobs(project_ids: Collection[UUID], kind: str = "") -> tuple[Job, ...]:
    """What waits or runs, oldest first."""
    found = Job.objects.filter(project_id__in=project_ids, state__in=[JobState.QUEUED, JobState.RUNNING])
    return tuple((found.filter(kind=kind) if kind else found).order_by("created_at"))


def open_job_count(project_ids: Collection[UUID]) -> int:
    return Job.objects.filter(project_id__in=project_ids, state__in=[JobState.QUEUED, JobState.RUNNING]).count()


def dead_jobs(project_ids: Collection[UUID]) -> tuple[Job, ...]:
    """What failed for good and waits for a person."""
    return tuple(Job.objects.filter(project_id__in=project_ids, state=JobState.DEAD).order_by("-finished_at"))


def _sum(counted: Collection[tuple[str, str, int]], *, part: str = "", kind: str = "") -> int:
    """Of all jobs counted by state and kind, those of one part or one kind, or of both."""
    states = _PARTS[part][0] if part else tuple(JobState)
    return sum(number for state, found, number in counted if state in states and kind in ("", found))


def _administers(user: User) -> bool:
    return user.is_superuser and user.is_active


def _shown(user: User, project: Project) -> QuerySet[Job]:
    """The project's jobs, and beside them those of the installation to its administrator."""
    mine = Q(project=project)
    return Job.objects.filter(mine | Q(project=None) if _administers(user) else mine)


def _page(jobs: QuerySet[Job], parts: Collection[str], cursor: str, limit: int) -> tuple[list[tuple[str, Job]], bool]:
    """The first `limit` after the cursor with their parts, and whether there are more. Each part is read by its own order."""
    place = _place(cursor)
    begun = place is None or place[0] not in parts  # what can't be read came from an address line: from the beginning
    found: list[tuple[str, Job]] = []
    for part in parts:
        is_here = place is not None and place[0] == part
        begun = begun or is_here
        if begun and len(found) <= limit:
            ordered = _after(jobs, part, place if is_here else None)
            found += [(part, job) for job in ordered[: limit + 1 - len(found)]]
    return found[:limit], len(found) > limit


def _after(jobs: QuerySet[Job], part: str, place: tuple[str, datetime, int] | None) -> QuerySet[Job]:
    states, column, newest_first = _PARTS[part]
    ordered = jobs.filter(state__in=states).order_by(*((f"-{column}", "-id") if newest_first else (column, "id")))
    if place is None:
        return ordered
    side = "lt" if newest_first else "gt"
    beyond = Q(**{f"{column}__{side}": place[1]}) | Q(**{column: place[1], f"id__{side}": place[2]})
    return ordered.filter(beyond)


def _position(part: str, job: Job) -> str:
    moment: datetime = getattr(job, _PARTS[part][1])
    return f"{part}~{moment.isoformat()}~{job.pk}"


def _place(cursor: str) -> tuple[str, datetime, int] | None:
    """What `_position` wrote; None for anything else."""
    part, _, rest = cursor.partition("~")
    text, _, number = rest.rpartition("~")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    is_whole = part in _PARTS and moment.tzinfo is not None and number.isascii() and number.isdecimal()
    return (part, moment, int(number[:18])) if is_whole else None


def _row(part: str, job: Job, now: datetime) -> JobRow:
    is_due = job.not_before is None or job.not_before <= now
    return JobRow(
        id=job.pk,
        is_installation=job.project_id is None,
        kind=job.kind,
        key=job.key,
        part=part,
        state=job.state,
        attempts=job.attempts,
        session_id=_named(job, "session"),
        import_id=_named(job, "import_id"),
        done=job.progress_done,
        total=job.progress_total,
        note=job.progress_note,
        error=job.last_error,
        lease_owner=job.lease_owner,
        is_silent=job.state == JobState.RUNNING and job.lease_until is not None and job.lease_until < now,
        due_at=None if is_due else job.not_before,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
    )


def _named(job: Job, name: str) -> UUID | None:
    """An id in the payload. A kind of another release may put there what it wants."""
    value = job.payload.get(name) if isinstance(job.payload, dict) else None
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None
