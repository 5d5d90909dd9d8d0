"""Prints a one-time login link for the administrator, or for a named user."""

from __future__ import annotations

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.accounts.models import User
from contextapp.accounts.services import create_login_link, ensure_administrator


class Command(BaseCommand):
    help = "Print a one-time login link."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", nargs="?", help="whose link; without it the administrator's")
        parser.add_argument("--path", action="store_true", help="print the path alone, without scheme and host")

    def handle(self, *args: Any, **options: Any) -> None:
        user = self._user(options["username"])
        path = f"/login/{create_login_link(user=user)}/"
        self.stdout.write(path if options["path"] else f"{address()}{path}")

    def _user(self, username: str | None) -> User:
        administrator = ensure_administrator()
        if username is None:
            return administrator
        found = User.objects.filter(username=username, is_active=True).first()
        if found is None:
            raise CommandError(f"no active user is called {username!r}")
        return found


def address() -> str:
    """Where the product is served: HOST and PORT, else the address that `make up` uses."""
    host, port = os.environ.get("HOST") or "127.0.0.1", os.environ.get("PORT") or "8000"
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # every interface: name one a browser can open
    return f"http://{shown}:{port}"
