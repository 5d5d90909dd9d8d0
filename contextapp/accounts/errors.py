"""Why a change of people, keys or settings was not made. Each message carries the value and the way out.

AccountsError
├── LoginLinkRefused     the link is unknown, used or too old
├── InvitationRefused    the same of an invitation
├── LastAdmin            a project is never without an admin
├── SettingRefused       a value that can't stand; names its field
└── SettingsChanged      somebody else changed these settings meanwhile; nothing was overwritten
"""

from __future__ import annotations


class AccountsError(Exception):
    """Base of the errors of this room; `str()` of it may be shown to people."""


class LoginLinkRefused(AccountsError):
    """The link is unknown, used or too old; a new one is printed by `make login`."""


class InvitationRefused(AccountsError):
    """The invitation is unknown, used, revoked or too old; an admin of the project makes another."""


class LastAdmin(AccountsError):
    """The person is the only admin left in the project."""


class SettingRefused(AccountsError):
    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason


class SettingsChanged(AccountsError):
    """What the form was filled from is no longer what stands."""
