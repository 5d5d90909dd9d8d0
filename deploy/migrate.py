"""Migrates as the owner and sets every role's rights anew: the one command of a new release. Never runs as the application.

A migration that can't get its lock gives way to the traffic and is tried again; where deploy/roles.sql was not used (one
role owns everything) only the migrations run.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

TRIES = 20
LOCK_NOT_AVAILABLE = "55P03"
FOLDER = Path(__file__).resolve().parent


def main() -> int:
    sys.path.insert(0, str(FOLDER.parent))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")
    import django

    django.setup()
    _migrate()
    _say("rights set for every role" if _grant() else "no role contextapp_owner here: one role owns everything")
    return 0


def _migrate() -> None:
    from django.core.management import call_command
    from django.db import OperationalError, connection

    for attempt in range(1, TRIES + 1):
        try:
            call_command("migrate", interactive=False, verbosity=1)
            return
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", "") != LOCK_NOT_AVAILABLE or attempt == TRIES:
                raise
            connection.close()
            _say(f"a table is in use; try {attempt + 1} of {TRIES}")
            time.sleep(0.25 * attempt)


def _grant() -> bool:
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_user = 'contextapp_owner'")
        if cursor.fetchone() != (True,):
            return False
        cursor.execute((FOLDER / "grants.sql").read_text())
    return True


def _say(line: str) -> None:
    sys.stdout.write(f"contextapp: {line}\n")


if __name__ == "__main__":
    sys.exit(main())
