"""Tells erasure what to remove here, and the workers which jobs are done here. Does nothing else at the start."""

from __future__ import annotations

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "contextapp.memory"

    def ready(self) -> None:
        from contextapp.eventlog import erasure
        from contextapp.jobs import registry
        from contextapp.memory import services

        erasure.register(services.purge_session)
        registry.register(services.TAKE_PROPOSALS, services.take_proposals_job)
        registry.register(services.EXTRACT, services.extract_job)
        registry.register(services.AGE, services.age_job)
        registry.register(services.EMBED, services.embed_job)
