"""Errors of this app, for its callers to turn into pages or problems. Each message carries the value and the way out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One field of a policy that can't stand, in the reader's words. `field` is its dotted place in the body."""

    field: str
    message: str


class PoliciesError(Exception):
    """Base of this app's errors."""


class PolicyRefused(PoliciesError):
    """A policy whose fields can't stand; nothing was written."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(" ".join(fault.message for fault in faults))
        self.faults = faults


class PolicyChanged(PoliciesError):
    """Somebody else changed what this change was based on; nothing was overwritten."""


class WrongState(PoliciesError):
    """The version is past what was asked: only a draft changes, only what was in force is rolled back to."""
