"""Starts the room of people: what the lockout library notices goes into the audit trail."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "contextapp.accounts"

    def ready(self) -> None:
        from contextapp.accounts import lockouts  # models, which are there now

        assert lockouts
