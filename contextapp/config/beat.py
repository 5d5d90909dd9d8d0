"""The Celery application of beat, the clock. It sends names at times, so it loads neither the product's apps nor its tasks."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")

app = Celery("contextapp", fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")
