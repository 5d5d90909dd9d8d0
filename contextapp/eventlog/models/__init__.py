"""Tables of the log. `events` and `payloads` are written by one database function only."""

from __future__ import annotations

from contextapp.eventlog.models.artifacts import Artifact, ArtifactUse
from contextapp.eventlog.models.checkpoints import (
    Checkpoint,
    CheckpointHead,
    LogVerification,
    SessionVerification,
    Verdict,
)
from contextapp.eventlog.models.events import Event, Head, Payload
from contextapp.eventlog.models.readings import Reading, ReadingMark
from contextapp.eventlog.models.sessions import Session, Workspace

__all__ = [
    "Artifact",
    "ArtifactUse",
    "Checkpoint",
    "CheckpointHead",
    "Event",
    "Head",
    "LogVerification",
    "Payload",
    "Reading",
    "ReadingMark",
    "Session",
    "SessionVerification",
    "Verdict",
    "Workspace",
]
