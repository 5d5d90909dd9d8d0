"""The WSGI application. Serves pages, API and static files; starts nothing else.

No statement of a request runs for ever. The limits are set here, so that the worker and commands have none of them.
"""

from __future__ import annotations

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from contextapp.config.environment import limit_waiting

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")

application = get_wsgi_application()
limit_waiting(
    settings.DATABASES["default"],
    statement_seconds=settings.DATABASE_STATEMENT_TIMEOUT_SECONDS,
    lock_seconds=settings.DATABASE_LOCK_TIMEOUT_SECONDS,
)
