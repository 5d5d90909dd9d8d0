"""After a backup was restored: erases again what was erased since it was made. Run it before anybody reads."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.eventlog.services import replay_redactions


class Command(BaseCommand):
    help = "Apply a list of redactions (manage.py redactions) to a restored database."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="the list, or - for standard input")
        parser.add_argument("--by", default="system:restore", help="who; it stands in the log")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            text = sys.stdin.read() if options["file"] == "-" else Path(options["file"]).read_text(encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{options['file']} can't be read: {error.strerror}") from error
        done = replay_redactions(_redactions(text), actor=options["by"])
        self.stdout.write(
            f"applied {done.applied}, in force already {done.present}, of sessions that are not here {done.missing}"
        )


def _redactions(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            redaction = json.loads(line)
            {redaction[name] for name in ("session", "first_seq", "last_seq", "reason", "by")}
        except (ValueError, KeyError, TypeError) as error:
            raise CommandError(
                f"line {number} is no redaction ({error}); make the list with manage.py redactions"
            ) from error
        yield redaction
