"""Reads of the log. A door gets a session by `session_for` or `list_sessions` and by nothing else."""

from __future__ import annotations

from contextapp.eventlog.selectors.events import (
    EventRow,
    event_counts,
    get_events,
    get_rows,
    head_seq,
    iter_events,
    tail_events,
)
from contextapp.eventlog.selectors.groups import Group, GroupList, group_sessions
from contextapp.eventlog.selectors.integrity import (
    Alarm,
    Integrity,
    checkpoint_alarm,
    checkpoint_covering,
    checkpoint_of_build,
    integrity_of,
    last_verification,
    list_checkpoints,
    public_key_text,
)
from contextapp.eventlog.selectors.searching import Hit, Hits, Lag, derive_lag, search_events
from contextapp.eventlog.selectors.sessions import (
    MARKS,
    Menu,
    SessionFilters,
    SessionList,
    children_of,
    get_artifact,
    imported_count,
    is_cursor,
    list_sessions,
    menus,
    session_count,
    session_for,
)

__all__ = [
    "Hit",
    "Hits",
    "Lag",
    "derive_lag",
    "search_events",
    "MARKS",
    "Alarm",
    "EventRow",
    "Group",
    "GroupList",
    "Integrity",
    "Menu",
    "SessionFilters",
    "SessionList",
    "checkpoint_alarm",
    "checkpoint_covering",
    "checkpoint_of_build",
    "children_of",
    "event_counts",
    "get_artifact",
    "get_events",
    "get_rows",
    "group_sessions",
    "head_seq",
    "integrity_of",
    "is_cursor",
    "iter_events",
    "last_verification",
    "list_checkpoints",
    "list_sessions",
    "menus",
    "public_key_text",
    "session_count",
    "imported_count",
    "session_for",
    "tail_events",
]
