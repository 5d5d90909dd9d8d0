"""`manage.py samples`: loads the sample sessions, or finds them loaded."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils.translation import gettext as _

from contextapp.intake.samples import load_samples


class Command(BaseCommand):
    help = "Load the sample sessions into a project of their own. Running it again changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        loaded = load_samples()
        values = {"sessions": loaded.sessions, "events": loaded.events, "new": loaded.new}
        self.stdout.write(_("%(sessions)s sample sessions, %(events)s events, %(new)s of them new") % values)
