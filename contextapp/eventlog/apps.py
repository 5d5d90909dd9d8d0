"""Starts the log and registers its jobs. A masking mode that nobody knows stops the start: guessing could store secrets."""

from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

MASKING_MODES = ("mask", "flag", "refuse")


class EventlogConfig(AppConfig):
    name = "contextapp.eventlog"

    def ready(self) -> None:
        if settings.MASKING_MODE not in MASKING_MODES:
            raise ImproperlyConfigured(
                f"MASKING_MODE={settings.MASKING_MODE!r} is unknown; choose one of {', '.join(MASKING_MODES)}"
            )
        from contextapp.eventlog import erasure, services
        from contextapp.jobs import registry

        registry.register(services.TAKE_CHECKPOINT, services.take_checkpoint_job)
        registry.register(services.VERIFY_LOG, services.verify_log_job)
        registry.register(services.RETENTION, services.retention_job)
        registry.register(services.DERIVE, services.derive_job)
        erasure.register(services.purge_readings)
