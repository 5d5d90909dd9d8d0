"""Verifies the log, one session, or what is new, and says where it fails (docs/log.md).

Exit status: 0 nothing contradicts the record, 1 tampered, 2 diverged, 3 unanchored with --anchored, 64 wrong usage.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import list_checkpoints
from contextapp.eventlog.services import verify_log, verify_session
from contextapp.eventlog.values import Fault, LogFindings
from contextapp.evidence import saved

STATUS = {"verified": 0, "unanchored": 0, "tampered": 1, "diverged": 2}
UNANCHORED, USAGE = 3, 64


class Command(BaseCommand):
    help = "Verify the event log: hashes, links, gaps, payloads, artifacts, heads and checkpoints."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", nargs="?", help="the id of one session; without it all are verified")
        parser.add_argument("--incremental", action="store_true", help="only what was added since the last time")
        parser.add_argument("--known-head", metavar="FILE", help="saved heads or checkpoints the log must still hold")
        parser.add_argument("--anchored", action="store_true", help="fail as well where no checkpoint covers a session")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.monotonic()
        found = self._found(options)
        if options["json"]:
            self.stdout.write(json.dumps(_summary(found, time.monotonic() - started)))
        else:
            for fault in found.faults:
                self.stdout.write(_line(fault))
            alone = f" ({found.unanchored} verified by their chains alone)" if found.unanchored else ""
            self.stdout.write(
                f"{found.verdict}: {found.sessions} sessions{alone}, {found.events} events, "
                f"{found.erased} of them erased, {found.checkpoints} checkpoints"
            )
        status = STATUS[found.verdict]
        if not status and options["anchored"] and (found.unanchored or found.verdict == "unanchored"):
            status = UNANCHORED
        if status:
            sys.exit(status)

    def _found(self, options: dict[str, Any]) -> LogFindings:
        known = None if options["known_head"] is None else _saved(options["known_head"])
        if options["session"] is None:
            return verify_log(is_full=not options["incremental"], saved=known)
        if options["incremental"] or known is not None:
            raise CommandError("one session is always verified whole; leave out the other options", returncode=USAGE)
        session_id = _session(options["session"])
        found = verify_session(session_id)
        faults = () if found.is_verified else (Fault(found.verdict, found.what, session_id, found.seq),)
        newest = list_checkpoints(limit=1)
        return LogFindings(
            verdict=found.verdict,
            sessions=1,
            events=found.events,
            erased=found.erased,
            unanchored=0 if found.is_anchored or faults else 1,
            checkpoints=newest[0].number if newest else 0,
            faults=faults,
            results={session_id: found},
            at=timezone.now(),
            seconds=0.0,
        )


def _summary(found: LogFindings, seconds: float) -> dict[str, Any]:
    faults = [
        {
            "session": None if fault.session_id is None else str(fault.session_id),
            "verdict": fault.verdict,
            "seq": fault.seq,
            "what": fault.what,
        }
        for fault in found.faults
    ]
    return {
        "verdict": found.verdict,
        "sessions": found.sessions,
        "events": found.events,
        "erased": found.erased,
        "unanchored": found.unanchored,
        "checkpoints": found.checkpoints,
        "faults": faults,
        "seconds": round(seconds, 3),
    }


def _line(fault: Fault) -> str:
    where = "the log" if fault.session_id is None else str(fault.session_id)
    place = "" if fault.seq is None else f" at seq {fault.seq}"
    return f"{fault.verdict}: {where}{place}: {fault.what}"


def _session(text: str) -> UUID:
    try:
        session_id = UUID(text)
    except ValueError as error:
        raise CommandError(f"{text!r} is not a session id", returncode=USAGE) from error
    if not Session.objects.filter(id=session_id).exists():
        raise CommandError(f"session {session_id} does not exist", returncode=USAGE)
    return session_id


def _saved(path: str) -> saved.Saved:
    try:
        found = saved.read(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, saved.NotSaved) as error:
        raise CommandError(f"{path} can't be read: {error}", returncode=USAGE) from error
    if not found.notes and not found.heads:
        raise CommandError(f"{path} holds neither a head nor a checkpoint", returncode=USAGE)
    return found
