"""Writes a lockout into the audit trail when the lockout library says that there is one. Locks nobody out itself."""

from __future__ import annotations

from typing import Any

from axes.signals import user_locked_out
from django.conf import settings
from django.dispatch import receiver

from contextapp.accounts.services import note_lockout


@receiver(user_locked_out)
def _on_lockout(sender: object, username: str | None = None, **rest: Any) -> None:  # as the signal is sent
    note_lockout(username=username or "", failures=settings.AXES_FAILURE_LIMIT, for_=settings.AXES_COOLOFF_TIME)
