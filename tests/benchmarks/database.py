"""A migrated database for a benchmark, kept under data/bench/ so that expensive fixtures serve again; fsync stays on."""

from __future__ import annotations

import os

import psycopg
from psycopg import sql

from contextapp.config.local import places, postgres

FOLDER = places.PROJECT / "data" / "bench"


def use(name: str, *, fresh: bool = False) -> str:
    """Call it before anything of Django is imported. DATABASE_URL, if given, names the server and is used as it is."""
    os.environ.setdefault("CELERY_BROKER_URL", "memory://")
    if "DATABASE_URL" not in os.environ:
        cluster = postgres.ensure_running(FOLDER)
        if fresh:
            with psycopg.connect(cluster.url("postgres"), autocommit=True) as connection:
                connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        postgres.create_database(cluster, name)
        os.environ["DATABASE_URL"] = cluster.url(name)
        os.environ["DATA_DIR"] = str(FOLDER)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    return os.environ["DATABASE_URL"]
