"""The Celery application. Carries wake-ups for rows of the job table; holds no work of its own."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from celery import Celery
from celery.signals import worker_init
from django.conf import settings

log = logging.getLogger(__name__)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")

app = Celery("contextapp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["contextapp.jobs"])


@worker_init.connect
def step_back(**_signal: object) -> None:
    """Who waits for an answer goes first: work in the background takes what the web server leaves of the machine.

    Linux weighs login sessions against each other before it weighs processes, so the leader of one says it for all of it.
    """
    os.nice(settings.WORKER_NICENESS)
    group = Path("/proc/self/autogroup")
    if os.getsid(0) == os.getpid() and group.exists():
        try:
            group.write_text(str(settings.WORKER_NICENESS))
        except (
            OSError
        ) as error:  # the kernel lets it be said once in a while; the process itself has stepped back already
            log.info("the worker's session keeps its weight (%s)", error)
