"""Verifies the chain of one session or of all, and says where it first fails. Exit status 1 when anything does."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.eventlog.models import Session
from contextapp.eventlog.services import verify_session
from contextapp.eventlog.values import Verification


class Command(BaseCommand):
    help = "Verify the event log: hashes, links, gaps, payloads and heads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", nargs="?", help="the id of one session; without it all are verified")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.monotonic()
        tampered: list[dict[str, Any]] = []
        sessions = events = erased = 0
        for session_id, found in _verifications(options["session"]):
            sessions += 1
            events += found.events
            erased += found.erased
            if not found.is_verified:
                tampered.append({"session": str(session_id), **asdict(found)})
        verdict = "tampered" if tampered else "verified"
        if options["json"]:
            summary = {
                "verdict": verdict,
                "sessions": sessions,
                "events": events,
                "erased": erased,
                "tampered": tampered,
                "seconds": round(time.monotonic() - started, 3),
            }
            self.stdout.write(json.dumps(summary))
        else:
            for fault in tampered:
                place = "" if fault["seq"] is None else f" at seq {fault['seq']}"
                self.stdout.write(f"{fault['session']}{place}: {fault['what']}")
            self.stdout.write(f"{verdict}: {sessions} sessions, {events} events, {erased} of them erased")
        if tampered:
            sys.exit(1)


def _verifications(session: str | None) -> Iterator[tuple[UUID, Verification]]:
    if session is not None:
        try:
            session_id = UUID(session)
        except ValueError as error:
            raise CommandError(f"{session!r} is not a session id") from error
        if not Session.objects.filter(id=session_id).exists():
            raise CommandError(f"session {session_id} does not exist")
        yield session_id, verify_session(session_id)
        return
    for session_id in Session.objects.order_by("created_at", "id").values_list("id", flat=True):
        yield session_id, verify_session(session_id)
