"""Forgets an import: erases the sessions that nothing else brought in. The source files are not touched."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from contextapp.accounts.services import record
from contextapp.eventlog.eraser import as_eraser
from contextapp.eventlog.models import Session
from contextapp.eventlog.services import erase_session
from contextapp.intake.errors import ImportRunning, UnknownImport
from contextapp.intake.models import Import, ImportFile, ImportState, QuarantinedLine
from contextapp.intake.selectors import JOB_KIND
from contextapp.jobs.selectors import get_job, is_left


@as_eraser()
def forget_import(*, import_id: UUID, actor: str) -> Import:
    """A session that another live import brought in as well stays. Importing the files again makes new sessions."""
    with transaction.atomic():
        batch = Import.objects.select_for_update().filter(id=import_id).first()
        if batch is None:
            raise UnknownImport(f"import {import_id} does not exist")
        if batch.state == ImportState.FORGOTTEN:
            return batch
        if batch.state == ImportState.RUNNING and not is_left(get_job(JOB_KIND, str(batch.id))):
            raise ImportRunning(
                _(
                    "The import is running. Wait until it is done, or cancel its job: two minutes after that its worker "
                    "has let go for certain, and it can be forgotten."
                )
            )
        erased = _own_sessions(batch)
        for session_id in erased:
            erase_session(session_id=session_id, reason=f"import {import_id} was forgotten", actor=actor)
        QuarantinedLine.objects.filter(file__batch=batch).delete()
        batch.uploads.all().delete()
        batch.state = ImportState.FORGOTTEN
        batch.save(update_fields=["state"])
        record(
            project=batch.project,
            actor=actor,
            action="import.forgotten",
            target=f"import:{import_id}",
            after={"sessions_erased": len(erased)},
        )
    return batch


def _own_sessions(batch: Import) -> list[UUID]:
    others = ImportFile.objects.exclude(batch=batch).exclude(batch__state=ImportState.FORGOTTEN)
    own = Session.objects.filter(import_files__batch=batch, erased_at=None)
    kept = own.filter(import_files__in=others).values("id")
    return list(own.exclude(id__in=kept).distinct().values_list("id", flat=True))


def purge_session(session_id: UUID, first_seq: int = 1, last_seq: int | None = None) -> None:
    """What this app derived from a session that is being erased: starts of lines of its files. They became no events, so the
    erasure of single events leaves them."""
    if last_seq is None:
        QuarantinedLine.objects.filter(file__sessions=session_id).delete()
