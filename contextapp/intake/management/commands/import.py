"""`manage.py import [PATH...]`: brings transcripts in and says what became of every line. Decides nothing itself."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from contextapp.accounts.models import Project
from contextapp.accounts.services import DEFAULT_PROJECT, ensure_administrator
from contextapp.intake import selectors
from contextapp.intake.errors import IntakeError
from contextapp.intake.models import Import
from contextapp.intake.report import as_json, table
from contextapp.intake.services import DEFAULT_FOLDERS, run_import, start_import, start_upload

ACTOR = "command:import"
STDIN = "-"
_REFRESH_SECONDS = 0.2


class Command(BaseCommand):
    help = (
        "Import agent transcripts: files, folders, patterns, or - for standard input; each format is recognised by content. "
        "Default: " + " and ".join(DEFAULT_FOLDERS) + "."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="*", metavar="PATH")
        parser.add_argument("--project", default=DEFAULT_PROJECT[0], metavar="SLUG")
        parser.add_argument("--since", help="only files changed since: 7d, 24h, 2026-01-31")
        parser.add_argument("--last", type=int, metavar="N", help="only the N newest sessions")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        parser.add_argument("--background", action="store_true", help="leave the work to the worker")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            batch = self._start(_project(options["project"]), options)
            if options["background"]:
                self.stdout.write(_("Import %(id)s waits for the worker.") % {"id": batch.id})
                return
            batch = run_import(batch.id, None if options["json"] else _ProgressLine())
        except IntakeError as error:
            raise CommandError(str(error)) from error
        row = selectors.import_for([batch.project_id], batch.id)
        assert row is not None
        files = selectors.files_of(batch.id, limit=None)
        if options["json"]:
            self.stdout.write(json.dumps(as_json(row, files, selectors.iter_quarantine(batch.id)), ensure_ascii=True))
        else:
            for line in table(row, files, selectors.quarantine_of(batch.id, limit=20)):
                self.stdout.write(line)
        if row.failed_files:
            sys.exit(1)

    def _start(self, project: Project, options: dict[str, Any]) -> Import:
        paths, in_background = options["paths"], options["background"]
        if STDIN in paths:
            if len(paths) > 1:
                raise CommandError(_("- stands alone: standard input can't be mixed with other paths."))
            files = [("stdin", sys.stdin.buffer.read())]
            return start_upload(project=project, files=files, requested_by=ACTOR, in_background=in_background)
        return start_import(
            project=project,
            paths=paths,
            requested_by=ACTOR,
            since=options["since"],
            last=options["last"],
            in_background=in_background,
        )


def _project(slug: str) -> Project:
    if slug == DEFAULT_PROJECT[0]:
        ensure_administrator()  # a first import may come before the first start
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True))
        raise CommandError(
            _("There is no project %(slug)s; there are: %(known)s.") % {"slug": repr(slug), "known": known}
        )
    return project


class _ProgressLine:
    """One line on standard error that rewrites itself; silent where nobody looks."""

    def __init__(self) -> None:
        self._written = 0.0

    def __call__(self, done: int, total: int, note: str) -> None:
        now = time.monotonic()
        if not sys.stderr.isatty() or now - self._written < _REFRESH_SECONDS:
            return
        self._written = now
        percent = 100 * done // max(total, 1)
        sys.stderr.write(f"\r\033[K{percent:3d} %  {note[-90:]}")
        sys.stderr.flush()
        if done >= total:
            sys.stderr.write("\r\033[K")
