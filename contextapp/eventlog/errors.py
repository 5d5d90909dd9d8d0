"""Why the log did not take something. Each message carries the value and the way out.

EventLogError
├── UnknownSession     no such session
├── SessionErased      the session's content was erased; it takes no more events
├── BadRange           the events to erase are not there
├── EventIdConflict    the id is stored with other content
├── WrongHead          the session is not where the writer thought
├── DraftRefused       an event that can't be stored; names index, field and rule
├── ArtifactRefused    bytes that can't be kept under the hash they were put under
├── CheckpointRefused  no checkpoint is signed: the key is not usable, or the log contradicts the one before
└── PublicationFailed  a checkpoint is signed and stored, but did not reach every place outside
"""

from __future__ import annotations

from uuid import UUID


class EventLogError(Exception):
    """Base of the log's errors."""


class UnknownSession(EventLogError):
    def __init__(self, session_id: UUID) -> None:
        super().__init__(f"session {session_id} does not exist; create it first")
        self.session_id = session_id


class SessionErased(EventLogError):
    def __init__(self, session_id: UUID) -> None:
        super().__init__(f"session {session_id} was erased and takes no more events; open a new session")
        self.session_id = session_id


class BadRange(EventLogError):
    def __init__(self, session_id: UUID, first_seq: int, last_seq: int, head_seq: int) -> None:
        super().__init__(
            f"events {first_seq}-{last_seq} are no range of session {session_id}; its events are 1-{head_seq}"
        )


class EventIdConflict(EventLogError):
    def __init__(self, event_id: UUID, seq: int | None) -> None:
        place = "twice in this batch" if seq is None else f"stored at seq {seq}"
        super().__init__(f"event {event_id} is {place} with other content; give new content a new id")
        self.event_id = event_id
        self.seq = seq


class WrongHead(EventLogError):
    def __init__(self, expected_seq: int, head_seq: int) -> None:
        super().__init__(f"expected_seq {expected_seq} but the session is at {head_seq}; read on from there and retry")
        self.expected_seq = expected_seq
        self.head_seq = head_seq


class DraftRefused(EventLogError):
    def __init__(self, index: int, field: str, rule: str) -> None:
        super().__init__(f"event {index}, {field}: {rule}")
        self.index = index
        self.field = field
        self.rule = rule


class ArtifactRefused(EventLogError):
    def __init__(self, field: str, rule: str) -> None:
        super().__init__(rule)
        self.field = field


class CheckpointRefused(EventLogError):
    """Ingestion goes on; that no checkpoint is taken is an alarm."""


class PublicationFailed(EventLogError):
    """Tried again by the job."""
