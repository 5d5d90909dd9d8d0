"""Readies the database for the supervisor: migrations, login link, samples. Speaks one `word<TAB>text` line per step.

A process of its own, so that the supervisor stays small and Django's memory goes when it is done.
"""

from __future__ import annotations

import io
import os
import sys

SAMPLES_WAIT_FOR = "page answers"


def main() -> None:
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever an app prints goes to the log
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")
    import django

    django.setup()
    print(f"migrated\t{_migrate()}", file=lines)
    print(f"login\t{_said_by('login')}", file=lines)
    if sys.stdin.readline().strip() == SAMPLES_WAIT_FOR:
        print(f"samples\t{_said_by('samples')}", file=lines)


def _migrate() -> int:
    """The number of migrations applied. A restart asks for the plan only, which spares Django's bookkeeping."""
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if pending:
        call_command("migrate", interactive=False, verbosity=0)
    return len(pending)


def _said_by(command: str) -> str:
    from django.core.management import call_command

    output = io.StringIO()
    call_command(command, stdout=output)
    return " ".join(output.getvalue().split())


if __name__ == "__main__":
    main()
