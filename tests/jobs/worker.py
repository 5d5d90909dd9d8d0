"""A real Celery application with the handlers of the tests: `celery -A tests.jobs.worker worker`."""

from __future__ import annotations

import django

from contextapp.config.celery import app

django.setup()

from tests.jobs import handlers  # noqa: E402  Django must be set up first

handlers.register_all()
app.loader.import_task_module("contextapp.jobs.tasks")

__all__ = ["app"]
