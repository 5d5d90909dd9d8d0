"""Shows what the retention policies would erase, and with --apply erases it. A dry run unless told otherwise."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.accounts.models import Project
from contextapp.eventlog.services import apply_retention, retention_plan


class Command(BaseCommand):
    help = "What each project keeps no longer: a dry run, or with --apply the erasure itself."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", help="the slug of one project; without it every project that has a policy")
        parser.add_argument("--apply", action="store_true", help="erase what is due")
        parser.add_argument("--json", action="store_true", help="print one JSON array")

    def handle(self, *args: Any, **options: Any) -> None:
        projects = Project.objects.exclude(retention_days=None).order_by("slug")
        if options["project"]:
            projects = Project.objects.filter(slug=options["project"])
            if not projects:
                raise CommandError(f"there is no project {options['project']!r}")
        found = []
        for project in projects:
            plan = apply_retention(project_id=project.id) if options["apply"] else retention_plan(project)
            found.append(
                {"project": project.slug, "days": plan.days, "sessions": plan.sessions, "events": plan.events,
                 "payload_bytes": plan.payload_bytes, "erased": options["apply"]}
            )  # fmt: skip
        if options["json"]:
            self.stdout.write(json.dumps(found))
            return
        for entry in found:
            verb = "erased" if entry["erased"] else "would erase"
            days = "keeps everything" if entry["days"] is None else f"keeps {entry['days']} days"
            self.stdout.write(
                f"{entry['project']}: {days}; {verb} {entry['sessions']} sessions, {entry['events']} events"
            )
        if not found:
            self.stdout.write("no project has a retention policy")
