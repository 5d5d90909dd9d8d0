"""The WSGI application. Serves pages, API and static files; starts nothing else."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")

application = get_wsgi_application()
