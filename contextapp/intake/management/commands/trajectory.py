"""Writes a session as an ATIF trajectory, the format that other agents and their benchmarks read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.intake.errors import UnknownSession
from contextapp.intake.services import export_trajectory


class Command(BaseCommand):
    help = "Export a session as an ATIF trajectory."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", help="the session's id")
        parser.add_argument("-o", "--output", help="file; default: standard output")
        parser.add_argument("--by", default="command", help="who, for the audit trail")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            session_id = UUID(options["session"])
        except ValueError as error:
            raise CommandError(f"{options['session']!r} is not a session id") from error
        try:
            document = export_trajectory(session_id=session_id, actor=options["by"])
        except UnknownSession as error:
            raise CommandError(str(error)) from error
        body = json.dumps(document, indent=2)
        if not options["output"]:
            self.stdout.write(body)
            return
        try:
            Path(options["output"]).write_text(body + "\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{options['output']} can't be written: {error.strerror}") from error
        self.stdout.write(f"{options['output']}: {len(document['steps'])} steps")
