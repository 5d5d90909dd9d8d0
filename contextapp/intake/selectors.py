"""Imports as pages and commands show them. Takes the project of the reader and returns nothing of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from contextapp.eventlog.models import Session
from contextapp.intake.models import Import, ImportFile, ImportState, QuarantinedLine
from contextapp.jobs.selectors import get_job

JOB_KIND = "import.run"
PAGE_IMPORTS = 50
PAGE_LINES = 100
PAGE_FILES = 200
SESSIONS_PER_FILE = 20
_OPEN = (ImportState.QUEUED, ImportState.RUNNING)
_STOPPED = ("dead", "cancelled")


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One import with the sums of its files. `quarantined + folded + produced = lines`."""

    id: UUID
    project_id: UUID
    paths: tuple[str, ...]
    state: str
    requested_by: str
    error: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    files: int
    failed_files: int
    lines: int
    produced: int
    folded: int
    quarantined: int
    events_seen: int
    events_new: int
    steps: int
    progress_done: int = 0
    progress_total: int = 0
    progress_note: str = ""
    stopped_job: int | None = None  # its job was cancelled or failed for good before the import was through

    @property
    def is_working(self) -> bool:
        return self.state in _OPEN and self.stopped_job is None

    @property
    def more_paths(self) -> int:
        return max(len(self.paths) - 1, 0)


@dataclass(frozen=True, slots=True)
class ImportList:
    imports: tuple[ImportRow, ...]
    total: int
    next: str  # value of `before` for the next page; empty on the last


@dataclass(frozen=True, slots=True)
class SessionLink:
    id: UUID
    title: str
    turn_count: int
    step_count: int


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file of an import. `sessions` are at most SESSIONS_PER_FILE of `session_count`."""

    path: str
    state: str
    error: str
    format: str
    format_version: str
    size_bytes: int
    sha256: str
    imported_at: datetime | None
    lines: int
    produced: int
    folded: int
    quarantined: int
    events_seen: int
    events_new: int
    turns: int
    steps: int
    seconds: float
    session_count: int
    sessions: tuple[SessionLink, ...]


@dataclass(frozen=True, slots=True)
class QuarantineRow:
    path: str
    line: int
    reason: str
    field: str
    detail: str
    excerpt: str
    sha256: str


@dataclass(frozen=True, slots=True)
class QuarantinePage:
    lines: tuple[QuarantineRow, ...]
    total: int
    next: int  # offset of the next page; 0 on the last


@dataclass(frozen=True, slots=True)
class SourceFile:
    """Where an imported session came from: what our record is unchanged since."""

    import_id: UUID
    path: str
    sha256: str
    imported_at: datetime


def list_imports(project_id: UUID, before: str = "", limit: int = PAGE_IMPORTS) -> ImportList:
    """Newest first; `before` is the `next` of the page before this one."""
    found = Import.objects.filter(project_id=project_id)
    total = found.count()
    if moment := _moment(before):
        found = found.filter(created_at__lt=moment)
    rows = list(_with_sums(found).order_by("-created_at", "id")[: limit + 1])
    more = rows[limit - 1].created_at.isoformat() if len(rows) > limit else ""
    return ImportList(tuple(_row(batch) for batch in rows[:limit]), total, more)


def import_for(project_ids: Iterable[UUID], import_id: UUID) -> ImportRow | None:
    """The import with the progress of its job, if it is in one of these projects."""
    batch = _with_sums(Import.objects.filter(project_id__in=list(project_ids), id=import_id)).first()
    return _row(batch, with_progress=True) if batch else None


def files_of(import_id: UUID, offset: int = 0, limit: int | None = PAGE_FILES) -> tuple[FileRow, ...]:
    files = ImportFile.objects.filter(batch_id=import_id).order_by("position").prefetch_related("sessions")
    return tuple(_file_row(file) for file in files[offset : offset + limit if limit else None])


def quarantine_of(import_id: UUID, offset: int = 0, limit: int = PAGE_LINES) -> QuarantinePage:
    lines = _quarantined(import_id)
    total = lines.count()
    rows = tuple(map(_quarantine_row, lines[offset : offset + limit]))
    return QuarantinePage(rows, total, offset + limit if offset + limit < total else 0)


def iter_quarantine(import_id: UUID) -> Iterator[QuarantineRow]:
    """All of them, without holding them."""
    return map(_quarantine_row, _quarantined(import_id).iterator(chunk_size=500))


def _quarantined(import_id: UUID) -> QuerySet[QuarantinedLine]:
    lines = QuarantinedLine.objects.filter(file__batch_id=import_id)
    return lines.select_related("file").order_by("file__position", "line")


def _quarantine_row(row: QuarantinedLine) -> QuarantineRow:
    return QuarantineRow(row.file.path, row.line, row.reason, row.field, row.detail, row.excerpt, row.sha256)


def session_count(import_id: UUID) -> int:
    return Session.objects.filter(import_files__batch_id=import_id).distinct().count()


def source_of(session_id: UUID) -> SourceFile | None:
    """The newest file that was imported into the session; None for a session that was not imported."""
    files = ImportFile.objects.filter(sessions=session_id, state=ImportState.DONE, imported_at__isnull=False)
    file = files.exclude(batch__state=ImportState.FORGOTTEN).order_by("-imported_at").first()
    if file is None or file.imported_at is None:
        return None
    return SourceFile(file.batch_id, file.path, file.sha256, file.imported_at)


_SUMS = ("lines", "produced", "folded", "quarantined", "events_seen", "events_new", "steps")


def _with_sums(found: QuerySet[Import]) -> QuerySet[Import]:
    own = ImportFile.objects.filter(batch=OuterRef("pk")).order_by().values("batch")
    sums = {f"sum_{name}": Coalesce(Subquery(own.annotate(found=Sum(name)).values("found")), 0) for name in _SUMS}
    counts = own.annotate(found=Count("id"))
    failed = own.annotate(found=Count("id", filter=Q(state=ImportState.FAILED)))
    return found.annotate(
        sum_files=Coalesce(Subquery(counts.values("found")), 0),
        sum_failed=Coalesce(Subquery(failed.values("found")), 0),
        **sums,
    )


def _row(batch: Import, *, with_progress: bool = False) -> ImportRow:
    sums = {name: getattr(batch, f"sum_{name}") for name in _SUMS}
    job = get_job(JOB_KIND, str(batch.id)) if with_progress else None
    is_stopped = job is not None and batch.state in _OPEN and job.state in _STOPPED
    return ImportRow(
        id=batch.id,
        project_id=batch.project_id,
        paths=tuple(batch.paths),
        state=batch.state,
        requested_by=batch.requested_by,
        error=batch.error,
        created_at=batch.created_at,
        started_at=batch.started_at,
        finished_at=batch.finished_at,
        files=getattr(batch, "sum_files"),  # noqa: B009  an annotation, unknown to the model's type
        failed_files=getattr(batch, "sum_failed"),  # noqa: B009
        **sums,
        progress_done=job.progress_done if job else 0,
        progress_total=job.progress_total if job else 0,
        progress_note=job.progress_note if job else "",
        stopped_job=job.pk if job and is_stopped else None,
    )


def _file_row(file: ImportFile) -> FileRow:
    sessions = sorted(file.sessions.all(), key=lambda session: (session.parent_id is not None, str(session.id)))
    links = tuple(
        SessionLink(session.id, session.title or str(session.id)[:8], session.turn_count, session.step_count)
        for session in sessions
    )
    return FileRow(
        path=file.path,
        state=file.state,
        error=file.error,
        format=file.format,
        format_version=file.format_version,
        size_bytes=file.size_bytes,
        sha256=file.sha256,
        imported_at=file.imported_at,
        lines=file.lines,
        produced=file.produced,
        folded=file.folded,
        quarantined=file.quarantined,
        events_seen=file.events_seen,
        events_new=file.events_new,
        turns=sum(link.turn_count for link in links),
        steps=file.steps,
        seconds=file.seconds,
        session_count=len(links),
        sessions=links[:SESSIONS_PER_FILE],
    )


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
