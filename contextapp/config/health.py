"""Whether the process lives and whether it may be sent traffic. Tells strangers yes or no, and nothing else."""

from __future__ import annotations

import logging
from functools import cache

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.loader import MigrationLoader
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from psycopg_pool import PoolTimeout

logger = logging.getLogger(__name__)


@never_cache
@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """The process answers. Touches nothing, so that a database that is away does not restart the web servers."""
    return JsonResponse({"live": True})


@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """The database answers and has every migration of this code; the log says what is missing, the answer does not."""
    reason = _hindrance()
    if reason:
        logger.warning("not ready: %s", reason)
    return JsonResponse({"ready": not reason}, status=503 if reason else 200)


def _hindrance() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT app, name FROM django_migrations")
            applied = set(cursor.fetchall())
    except (DatabaseError, InterfaceError, PoolTimeout) as error:
        return f"the database does not answer ({type(error).__name__})"
    missing = sorted(_needed() - applied)
    return f"{len(missing)} migrations are missing, the first is {'.'.join(missing[0])}" if missing else ""


@cache
def _needed() -> frozenset[tuple[str, str]]:
    """The migrations that this code carries; a newer database is served, for a release adds before it removes."""
    return frozenset(MigrationLoader(None).disk_migrations)


# Open to everybody, and said so: the test of all addresses reads it.
live.permission = ready.permission = "anyone"  # type: ignore[attr-defined]
