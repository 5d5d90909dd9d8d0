"""The Celery application. Carries wake-ups for rows of the job table; holds no work of its own."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")

app = Celery("contextapp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["contextapp.jobs"])
