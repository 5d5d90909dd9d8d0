"""Prints every redaction of the log as JSON lines, to be kept beside backups; replay_redactions applies it."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand

from contextapp.eventlog.services import list_redactions


class Command(BaseCommand):
    help = "List the redactions of the log, one JSON object per line. Holds no content."

    def handle(self, *args: Any, **options: Any) -> None:
        for redaction in list_redactions():
            self.stdout.write(json.dumps(redaction, sort_keys=True))
