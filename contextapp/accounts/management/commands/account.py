"""`manage.py account NAME --close`: closes a person's account or opens it again. Deletes nobody: the trail names them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from contextapp.accounts.models import User
from contextapp.accounts.services import disable_user, enable_user

ACTOR = "command:account"


class Command(BaseCommand):
    help = "Close an account, with its logins and the keys that the person made, or open it again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")
        way = parser.add_mutually_exclusive_group(required=True)
        way.add_argument("--close", action="store_true")
        way.add_argument("--open", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:  # as the command line gives them
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            there = ", ".join(User.objects.order_by("username").values_list("username", flat=True)[:20])
            raise CommandError(f"There is nobody named {options['name']!r}; there are: {there}.")
        change = disable_user if options["close"] else enable_user
        self.stdout.write(f"{change(user=user, by=ACTOR)}: {'closed' if options['close'] else 'open'}")
