"""Writes down what is to be imported: one row per file, and the job that will do it. Reads no transcript."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contextapp.accounts.models import Project
from contextapp.accounts.services import record
from contextapp.intake.errors import NothingToImport
from contextapp.intake.models import Import, ImportFile, UploadedFile
from contextapp.intake.selectors import JOB_KIND
from contextapp.intake.services.discovering import DEFAULT_FOLDERS, discover
from contextapp.jobs.services import enqueue

PATH_CHARS = 2000


def start_import(
    *,
    project: Project,
    paths: Sequence[str],
    requested_by: str,
    since: str | None = None,
    last: int | None = None,
    in_background: bool = True,
) -> Import:
    """`paths` are files, folders or patterns; none means the transcripts of this machine's Claude Code and Codex.

    Not in the background, the caller runs it with `run_import`.
    """
    found = discover(paths, since=since, last=last, now=timezone.now())
    with transaction.atomic():
        batch = Import.objects.create(
            project=project,
            paths=[_storable(path) for path in paths] or list(DEFAULT_FOLDERS),
            requested_by=requested_by[:200],
        )
        ImportFile.objects.bulk_create(
            [
                ImportFile(
                    batch=batch,
                    position=position,
                    path=_storable(file.path),
                    size_bytes=file.size_bytes,
                )
                for position, file in enumerate(found)
            ]
        )
        _announce(batch, len(found), in_background=in_background)
    return batch


def start_upload(
    *, project: Project, files: Iterable[tuple[str, bytes]], requested_by: str, in_background: bool = True
) -> Import:
    """Files as (name, bytes), from a browser or standard input; the bytes are kept until they have been read."""
    chosen = list(files)
    if not chosen:
        raise NothingToImport(_("No file was chosen; choose at least one .jsonl or .json file."))
    names = [_storable(name)[:500] or "unnamed" for name, _body in chosen]
    with transaction.atomic():
        batch = Import.objects.create(project=project, paths=names, requested_by=requested_by[:200])
        for position, (name, (_name, body)) in enumerate(zip(names, chosen, strict=True)):
            UploadedFile.objects.create(batch=batch, name=name, body=body)
            ImportFile.objects.create(batch=batch, position=position, path=name, size_bytes=len(body))
        _announce(batch, len(chosen), in_background=in_background)
    return batch


def _announce(batch: Import, files: int, *, in_background: bool) -> None:
    record(
        project=batch.project,
        actor=batch.requested_by,
        action="import.started",
        target=f"import:{batch.id}",
        after={"paths": batch.paths[:20], "files": files},
    )
    if in_background:
        enqueue(kind=JOB_KIND, key=str(batch.id), payload={"import_id": str(batch.id)}, project_id=batch.project_id)


def _storable(path: str) -> str:
    """A path may hold bytes that are no text; a column may not."""
    return path.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")[:PATH_CHARS]
