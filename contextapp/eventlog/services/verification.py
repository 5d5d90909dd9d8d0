"""Verification as a service: the check itself is `eventlog.verify`, which an auditor may read alone."""

from __future__ import annotations

from uuid import UUID

from contextapp.eventlog.values import Verification
from contextapp.eventlog.verify import verify_chain


def verify_session(session_id: UUID) -> Verification:
    """Verdict `verified`, or `tampered` with the first place that does not fit."""
    return verify_chain(session_id)
