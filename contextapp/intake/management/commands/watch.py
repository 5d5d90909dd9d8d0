"""`manage.py watch PATH...`: imports transcripts as they grow, until it is interrupted. Decides nothing itself."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.translation import gettext as _

from contextapp.accounts.models import Project
from contextapp.accounts.services import DEFAULT_PROJECT, ensure_administrator
from contextapp.intake import selectors
from contextapp.intake.errors import IntakeError
from contextapp.intake.report import table
from contextapp.intake.services import run_import, start_import
from contextapp.intake.services.watching import Watch

ACTOR = "command:watch"


class Command(BaseCommand):
    help = "Follow files and folders, and import what is new in them as transcripts grow. Ctrl-C ends it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="*", metavar="PATH")
        parser.add_argument("--project", default=DEFAULT_PROJECT[0], metavar="SLUG")
        parser.add_argument("--every", type=float, default=2.0, metavar="SECONDS", help="how often to look (2)")
        parser.add_argument("--looks", type=int, metavar="N", help="end after N looks")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["every"] < 0:
            raise CommandError(_("--every takes seconds, 0 or more; got %(value)s.") % {"value": options["every"]})
        if options["project"] == DEFAULT_PROJECT[0]:
            ensure_administrator()
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(_("There is no project %(slug)s.") % {"slug": repr(options["project"])})
        watch, looks = Watch(options["paths"]), 0
        try:
            while options["looks"] is None or looks < options["looks"]:
                looks += 1
                if due := watch.look(timezone.now()):
                    self._import(project, due)
                time.sleep(options["every"])
        except KeyboardInterrupt:
            self.stdout.write(_("Stopped. What was imported stays; started again, it goes on from there."))

    def _import(self, project: Project, paths: list[str]) -> None:
        try:
            batch = start_import(project=project, paths=paths, requested_by=ACTOR, in_background=False)
            run_import(batch.id)
        except IntakeError as error:
            self.stderr.write(
                str(error)
            )  # files may go between the look and the import; the next look sees what is there
            return
        row = selectors.import_for([batch.project_id], batch.id)
        assert row is not None
        for line in table(row, selectors.files_of(batch.id, limit=None), selectors.quarantine_of(batch.id, limit=20)):
            self.stdout.write(line)
