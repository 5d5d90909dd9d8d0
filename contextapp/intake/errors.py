"""Why an import could not be started or undone. Each message carries the value and the way out.

IntakeError
├── NothingToImport   no transcript at the places that were named
├── BadSelection      --since, --last or a path that can't be understood
├── UnknownImport     no such import
├── UnknownSession    no such session
└── ImportRunning     it can't be forgotten while it runs
"""

from __future__ import annotations


class IntakeError(Exception):
    """Base of the errors of this app."""


class NothingToImport(IntakeError):
    pass


class BadSelection(IntakeError):
    pass


class UnknownImport(IntakeError):
    pass


class UnknownSession(IntakeError):
    pass


class ImportRunning(IntakeError):
    pass


class TelemetryBusy(IntakeError):
    """Other deliveries write to the same sessions; sent again, this one is stored once."""
