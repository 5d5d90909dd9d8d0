"""Binds the Celery application when Django starts, so that tasks find it. Does nothing else."""

from __future__ import annotations

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "contextapp.config"

    def ready(self) -> None:
        from contextapp.config import celery  # noqa: F401  the import binds the default app
