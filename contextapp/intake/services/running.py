"""Runs an import: file after file, each on its own, each readable as it lands. A file that fails never stops the others."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from uuid import UUID

from django.db.models import Sum
from django.utils import timezone

from contextapp.eventlog.errors import EventLogError
from contextapp.importers.contract import UnfitFile
from contextapp.intake.errors import UnknownImport
from contextapp.intake.models import Import, ImportFile, ImportState
from contextapp.intake.services.importing import FileImport
from contextapp.intake.services.writing import adopt_earlier, adopt_orphans
from contextapp.jobs.handle import LeaseLost

logger = logging.getLogger(__name__)

Progress = Callable[[int, int, str], None]


def run_import(import_id: UUID, progress: Progress | None = None) -> Import:
    """Bring in every file that is not done yet; running again after a crash ends in the same events.

    `progress` gets bytes done, bytes in all and the file at hand; what it raises stops the import between two batches.
    """
    batch = Import.objects.select_related("project").filter(id=import_id).first()
    if batch is None:
        raise UnknownImport(f"import {import_id} does not exist")
    unfinished = Import.objects.filter(id=import_id).exclude(state=ImportState.FORGOTTEN)
    if unfinished.update(state=ImportState.RUNNING, started_at=timezone.now(), finished_at=None, error="") == 0:
        return Import.objects.get(id=import_id)
    batch.refresh_from_db()
    total = batch.files.aggregate(found=Sum("size_bytes"))["found"] or 0
    done = 0
    orphans: dict[UUID, str] = {}
    for file in batch.files.order_by("position"):
        if file.state != ImportState.DONE:
            orphans |= _run_file(batch, file, _from(progress, done, total))
        done += file.size_bytes
    adopt_orphans(project_id=batch.project_id, orphans=orphans)
    adopt_earlier(batch=batch)
    if progress is not None:
        progress(total, total, "")
    return _finish(batch)


def _from(progress: Progress | None, done: int, total: int) -> Callable[[int, str], None]:
    def report(bytes_read: int, note: str) -> None:
        if progress is not None:
            progress(min(done + bytes_read, total), total, note)

    return report


def _run_file(batch: Import, file: ImportFile, report: Callable[[int, str], None]) -> dict[UUID, str]:
    """The sessions of the file whose parent is not here yet, with the parent's key."""
    started = time.monotonic()
    report(0, file.path)
    run = FileImport(batch, file, report)
    try:
        run.run()
    except LeaseLost:
        raise
    except UnfitFile as error:
        run.fail(str(error))
    except OSError as error:
        run.fail(f"{file.path}: {error.strerror or error}; check that the file is there and readable.")
    except EventLogError as error:
        run.fail(f"{file.path}, line {run.line}: {error}")
    except Exception as error:
        # The edge of one file: a defect of ours costs this file, is recorded with its place, and the rest goes on.
        logger.exception("import of %s failed at line %s", file.path, run.line)
        run.fail(f"{file.path}, line {run.line}: internal error, {type(error).__name__}: {error}")
    file.seconds = round(time.monotonic() - started, 3)
    file.save()
    return run.orphans


def _finish(batch: Import) -> Import:
    states = list(batch.files.values_list("state", flat=True))
    failed = states.count(ImportState.FAILED)
    batch.state = ImportState.FAILED if failed == len(states) else ImportState.DONE
    batch.error = f"{failed} of {len(states)} files could not be imported; each says why." if failed else ""
    batch.finished_at = timezone.now()
    batch.save(update_fields=["state", "error", "finished_at"])
    if not failed:
        batch.uploads.all().delete()  # bytes are kept only until they have been read
    return batch
