"""Erases a session, or some of its events: content and derived rows go, the record that it existed stays. Cannot be undone."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.eventlog.errors import EventLogError
from contextapp.eventlog.services import erase_events, erase_session


class Command(BaseCommand):
    help = (
        "Erase the content of a session or of a range of its events. The chain still verifies; nothing brings it back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", help="the session's id")
        parser.add_argument("--events", help="only these: 12 or 12-40")
        parser.add_argument("--reason", required=True, help="why; it stands in the log for ever")
        parser.add_argument("--by", required=True, help="who; it stands in the log for ever")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            session_id = UUID(options["session"])
        except ValueError as error:
            raise CommandError(f"{options['session']!r} is not a session id") from error
        what = f"events {options['events']} of session {session_id}" if options["events"] else f"session {session_id}"
        if not options["yes"] and input(f"Erase {what} for good? Type yes: ") != "yes":
            raise CommandError("nothing was erased")
        common: dict[str, Any] = {"session_id": session_id, "reason": options["reason"], "actor": options["by"]}
        try:
            if options["events"]:
                first, last = _range(options["events"])
                done = erase_events(first_seq=first, last_seq=last, **common)
            else:
                done = erase_session(**common)
        except (EventLogError, ValueError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(
                json.dumps(
                    {"redaction_seq": done.redaction_seq, "payloads": done.payloads, "artifacts": done.artifacts}
                )
            )
        else:
            self.stdout.write(
                f"erased {done.payloads} payloads and {done.artifacts} artifacts; event {done.redaction_seq} says so"
            )


def _range(text: str) -> tuple[int, int]:
    first, _dash, last = text.partition("-")
    try:
        return int(first), int(last or first)
    except ValueError as error:
        raise CommandError(f"--events {text!r} is no range; write 12 or 12-40") from error
