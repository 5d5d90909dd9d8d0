"""Errors of this app, for its callers to turn into pages or problems. Each message carries the value and the way out."""

from __future__ import annotations


class ContextsError(Exception):
    """Base of this app's errors."""


class NotFound(ContextsError):
    """No such turn, step, ledger or row in this session."""


class BuildConflict(ContextsError):
    """The same build_id was used for another session or another model."""


class CannotBuild(ContextsError):
    """A build that could not start: the window of the model is unknown, or the session's content was erased."""


class CannotDecide(ContextsError):
    """A constraint that nobody suspects any more, or a log that is not ours to add to."""


class HeadMoved(ContextsError):
    """Other writers kept appending while the build was computed; nothing was stored."""
