"""Every write to the log goes through here, and through one database function below. Nothing is ever changed in place."""

from __future__ import annotations

from contextapp.eventlog.services.artifacts import put_artifact
from contextapp.eventlog.services.checkpoints import (
    TAKE_CHECKPOINT,
    rotate_checkpoint_key,
    take_checkpoint,
    take_checkpoint_job,
)
from contextapp.eventlog.services.deriving import DERIVE, derive_job, derive_session, purge_readings, request_deriving
from contextapp.eventlog.services.erasure import erase_events, erase_session
from contextapp.eventlog.services.masking import change_masking, try_text
from contextapp.eventlog.services.publication import publish_checkpoints
from contextapp.eventlog.services.redactions import list_redactions, replay_redactions
from contextapp.eventlog.services.retention import RETENTION, apply_retention, retention_job, retention_plan
from contextapp.eventlog.services.retrying import append
from contextapp.eventlog.services.sessions import open_session, update_session_facts
from contextapp.eventlog.services.verification import VERIFY_LOG, verify_log, verify_log_job, verify_session
from contextapp.eventlog.services.writing import project_of

__all__ = [
    "DERIVE",
    "RETENTION",
    "TAKE_CHECKPOINT",
    "VERIFY_LOG",
    "append",
    "apply_retention",
    "change_masking",
    "derive_job",
    "derive_session",
    "erase_events",
    "erase_session",
    "list_redactions",
    "open_session",
    "project_of",
    "publish_checkpoints",
    "purge_readings",
    "put_artifact",
    "replay_redactions",
    "request_deriving",
    "retention_job",
    "retention_plan",
    "rotate_checkpoint_key",
    "take_checkpoint",
    "take_checkpoint_job",
    "try_text",
    "update_session_facts",
    "verify_log",
    "verify_log_job",
    "verify_session",
]
