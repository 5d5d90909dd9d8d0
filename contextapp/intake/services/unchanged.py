"""A file that was imported before with the same bytes is counted as it was then. Never parses, never appends."""

from __future__ import annotations

from contextapp.intake.models import Import, ImportFile, ImportState, QuarantinedLine

_COUNTERS = ("format", "format_version", "lines", "produced", "folded", "quarantined", "steps")


def repeat_unchanged(batch: Import, file: ImportFile) -> bool:
    """True when the file is done by that. Uploads are read again: their names identify nothing."""
    before = _earlier(batch, file)
    if before is None:
        return False
    for name in _COUNTERS:
        setattr(file, name, getattr(before, name))
    file.events_seen, file.events_new = before.events_seen + before.events_new, 0
    file.sessions.set(before.sessions.all())
    QuarantinedLine.objects.bulk_create(
        [
            QuarantinedLine(
                file=file,
                line=row.line,
                reason=row.reason,
                field=row.field,
                detail=row.detail,
                excerpt=row.excerpt,
                sha256=row.sha256,
            )
            for row in before.quarantine.all()
        ]
    )
    file.state = ImportState.DONE
    return True


def _earlier(batch: Import, file: ImportFile) -> ImportFile | None:
    """The same bytes at the same place, imported whole, with every session of it still there."""
    done = ImportFile.objects.filter(
        sha256=file.sha256, path=file.path, state=ImportState.DONE, batch__project_id=batch.project_id
    )
    live = done.exclude(batch__state=ImportState.FORGOTTEN).exclude(pk=file.pk).exclude(batch__uploads__isnull=False)
    before = live.order_by("-imported_at").first()
    if before is None or before.produced and not before.sessions.exists():
        return None
    return None if before.sessions.exclude(erased_at=None).exists() else before
