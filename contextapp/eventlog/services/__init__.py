"""Every write to the log goes through here, and through one database function below. Nothing is ever changed in place."""

from __future__ import annotations

from contextapp.eventlog.services.erasure import erase_session
from contextapp.eventlog.services.sessions import open_session, update_session_facts
from contextapp.eventlog.services.verification import verify_session
from contextapp.eventlog.services.writing import append

__all__ = ["append", "erase_session", "open_session", "update_session_facts", "verify_session"]
