"""One file from its bytes to events, counters and quarantine rows. What it has written when it stops is whole and stays."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from contextapp.contexts.services import index_session
from contextapp.eventlog.masking.payloads import mask_text
from contextapp.eventlog.masking.projects import rules_for
from contextapp.eventlog.models import Session
from contextapp.importers.contract import Disposition, Format, ParsedLine, Source, UnfitFile, UnfitLine
from contextapp.importers.recognise import HEAD_BYTES, looked_for, recognise
from contextapp.intake.models import Import, ImportFile, ImportState, QuarantinedLine
from contextapp.intake.services.sources import open_source
from contextapp.intake.services.unchanged import repeat_unchanged
from contextapp.intake.services.writing import LogWriter

logger = logging.getLogger(__name__)

EXCERPT_CHARS = 480
QUARANTINE_BATCH = 500
REPORT_EVERY_LINES = 200


class FileImport:
    """Counts each line once; a line the log refuses moves from produced to quarantined."""

    def __init__(self, batch: Import, file: ImportFile, report: Callable[[int, str], None]) -> None:
        self.line = 0
        self._batch, self._file, self._report = batch, file, report
        self._quarantine: list[QuarantinedLine] = []
        self._writer = LogWriter(batch=batch, refuse=self._refuse)

    def run(self) -> None:
        self._begin()
        with open_source(self._batch, self._file) as (stream, name):
            self._measure(stream)
            if repeat_unchanged(self._batch, self._file):
                return
            found = self._recognise(stream, name)
            limit = settings.IMPORT_LINE_LIMIT_BYTES
            for parsed in found.parse(Source(name, stream, line_limit_bytes=limit)):
                self._take(parsed)
                if parsed.line % REPORT_EVERY_LINES == 0:
                    self._report(stream.tell(), self._file.path)
        self._complete()

    @property
    def orphans(self) -> dict[UUID, str]:
        """Sessions of the file whose parent is not here yet, with the parent's key."""
        return self._writer.orphans

    def fail(self, message: str) -> None:
        self._settle()
        self._file.state = ImportState.FAILED
        self._file.error = "\n".join(filter(None, (message, self._file.error)))

    def _begin(self) -> None:
        """From nothing: what an interrupted run counted is counted again, and its events are found in the log."""
        self._file.quarantine.all().delete()
        for name in ("lines", "produced", "folded", "quarantined", "events_seen", "events_new", "steps"):
            setattr(self._file, name, 0)
        self._file.state = ImportState.RUNNING
        self._file.error = self._file.format = self._file.format_version = ""
        self._file.save()

    def _measure(self, stream: BinaryIO) -> None:
        digest = hashlib.sha256()
        while piece := stream.read(1024 * 1024):
            digest.update(piece)
        self._file.size_bytes = stream.tell()
        self._file.sha256 = digest.hexdigest()
        self._file.imported_at = timezone.now()
        stream.seek(0)

    def _recognise(self, stream: BinaryIO, name: str) -> Format:
        head = stream.read(HEAD_BYTES)
        stream.seek(0)
        found = recognise(head, name)
        if found is None:
            raise UnfitFile(f"{self._file.path}: not a transcript format we know. {looked_for(head)}")
        self._file.format = found.name
        self._file.save(update_fields=["format", "sha256", "size_bytes", "imported_at"])
        return found

    def _take(self, parsed: ParsedLine) -> None:
        self.line = parsed.line
        self._file.lines += 1
        if parsed.disposition is Disposition.QUARANTINED:
            self._file.quarantined += 1
            self._keep(parsed)
        elif parsed.disposition is Disposition.FOLDED:
            self._file.folded += 1
        else:
            self._file.produced += 1
        self._writer.take(parsed)

    def _refuse(self, parsed: ParsedLine, unfit: UnfitLine) -> None:
        """The log would not have an event of this line, so none of its events is kept and the line says why."""
        self._file.produced -= 1
        self._file.quarantined += 1
        text = repr([draft.payload for draft in parsed.drafts])
        body = text.encode("utf-8", "backslashreplace")
        self._keep(
            ParsedLine(
                parsed.line,
                Disposition.QUARANTINED,
                reason=unfit.reason,
                field=unfit.field,
                detail=unfit.detail,
                excerpt=text[:4096],
                sha256=hashlib.sha256(body).hexdigest(),
            )
        )

    def _keep(self, parsed: ParsedLine) -> None:
        scanner = rules_for(self._batch.project_id).scanner
        excerpt = mask_text(_storable(parsed.excerpt), scanner)
        self._quarantine.append(
            QuarantinedLine(
                file=self._file,
                line=parsed.line,
                reason=parsed.reason[:60],
                field=_storable(parsed.field)[:200],
                detail=mask_text(_storable(parsed.detail), scanner)[:500],
                excerpt=excerpt[:EXCERPT_CHARS],
                sha256=parsed.sha256,
            )
        )
        if len(self._quarantine) >= QUARANTINE_BATCH:
            self._store_quarantine()

    def _store_quarantine(self) -> None:
        QuarantinedLine.objects.bulk_create(self._quarantine, ignore_conflicts=True)
        self._quarantine = []

    def _complete(self) -> None:
        self._writer.flush()
        self._settle()
        self._file.state = ImportState.FAILED if self._file.error else ImportState.DONE

    def _settle(self) -> None:
        """What is in the log becomes readable, whether the file came to its end or not."""
        self._store_quarantine()
        self._writer.discard()
        sessions = self._writer.finish(quarantined=self._file.quarantined)
        self._file.error = "\n".join(filter(None, map(self._explain, sessions)))
        self._file.sessions.set(Session.objects.filter(id__in=sessions))
        self._file.events_seen, self._file.events_new = self._writer.seen, self._writer.new
        self._file.format_version = self._writer.version[:40]
        self._file.steps = sum(Session.objects.filter(id__in=sessions).values_list("step_count", flat=True))

    def _explain(self, session_id: UUID) -> str:
        """Turns, steps and ledgers of a session; what went wrong with them, if anything did."""
        try:
            index_session(session_id=session_id)
        except Exception as error:
            # The edge of one session: its events are safe in the log, and the others are explained all the same.
            logger.exception("session %s could not be explained", session_id)
            return (
                f"{self._file.path}: session {session_id} is stored but not explained, {type(error).__name__}: {error}"
            )
        return ""


def _storable(text: str) -> str:
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")
