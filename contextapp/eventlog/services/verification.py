"""Verifies and keeps the result: the latest of each session for its badge, and each run over the log. Alarms when it is bad."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from contextapp.accounts.services import record
from contextapp.eventlog.models import LogVerification
from contextapp.eventlog.values import LogFindings, Verification
from contextapp.eventlog.verify.log import examine_log, examine_session
from contextapp.evidence.saved import Saved
from contextapp.jobs.handle import JobHandle

logger = logging.getLogger(__name__)

VERIFY_LOG = "eventlog.verify"
FAULTS_KEPT = 100

# How far a session was good stays known when it no longer is: the next verification asks for it again.
_STORE = """
INSERT INTO eventlog_sessionverification AS stored (session_id, verdict, seq, hash, at, what, checkpoint)
SELECT session_id, verdict, seq, hash, at, what, NULLIF(number, 0) FROM (
    SELECT unnest(%s::uuid[]), unnest(%s::text[]), unnest(%s::bigint[]), unnest(%s::bytea[]), %s::timestamptz,
        unnest(%s::text[]), unnest(%s::bigint[])
) AS given (session_id, verdict, seq, hash, at, what, number)
ON CONFLICT (session_id) DO UPDATE SET verdict = excluded.verdict, at = excluded.at, what = excluded.what,
    checkpoint = excluded.checkpoint,
    seq = CASE WHEN excluded.verdict IN ('tampered', 'diverged') THEN stored.seq ELSE excluded.seq END,
    hash = CASE WHEN excluded.verdict IN ('tampered', 'diverged') THEN stored.hash ELSE excluded.hash END
WHERE stored.at <= excluded.at
"""


def verify_session(session_id: UUID) -> Verification:
    """The whole session, now. The result is kept for its badge."""
    at = timezone.now()
    found = examine_session(session_id)
    with transaction.atomic():
        _keep({session_id: found}, at)
    return found


def verify_log(*, is_full: bool = True, saved: Saved | None = None) -> LogFindings:
    """Every session, or what changed since the last time. An alarm is raised once for each new set of faults."""
    found = examine_log(is_full=is_full, saved=saved)
    # What contradicts a file that somebody brought is told to that person; it is not the state of the session.
    kept = {key: one for key, one in found.results.items() if saved is None or one.verdict != "diverged"}
    with transaction.atomic():
        _keep(kept, found.at)
        faults: list[dict[str, Any]] = [  # Any: JSON of the columns of LogVerification.faults
            {
                "session": None if fault.session_id is None else str(fault.session_id),
                "verdict": fault.verdict,
                "seq": fault.seq,
                "what": fault.what,
            }
            for fault in found.faults[:FAULTS_KEPT]
        ]
        before = LogVerification.objects.order_by("-id").first()
        LogVerification.objects.create(
            at=found.at,
            is_full=is_full,
            verdict=found.verdict,
            sessions=found.sessions,
            events=found.events,
            erased=found.erased,
            seconds=found.seconds,
            faults=faults,
        )
        if faults and (before is None or before.faults != faults):
            record(
                project=None,
                actor="system",
                action="log.verification_failed",
                target="log",
                after={"verdict": found.verdict, "faults": faults},
            )
    for fault in found.faults[:FAULTS_KEPT]:
        logger.error("verification: %s, session %s, seq %s: %s", fault.verdict, fault.session_id, fault.seq, fault.what)
    return found


def verify_log_job(job: JobHandle) -> None:
    """Key `full`: everything; any other: what is new."""
    verify_log(is_full=job.key == "full")


def _keep(results: Mapping[UUID, Verification], at: datetime) -> None:
    if not results:
        return
    found = list(results.values())
    parameters: list[Any] = [  # Any: arrays of the columns
        [*results],
        [one.verdict for one in found],
        [one.head_seq if one.is_verified else 0 for one in found],
        [one.head_hash for one in found],
        at,
        [one.what for one in found],
        [one.checkpoint or 0 for one in found],
    ]
    with connection.cursor() as cursor:
        cursor.execute(_STORE, parameters)
