"""Tells erasure what to remove here, and the workers which jobs are done here. Does nothing else at the start."""

from __future__ import annotations

from django.apps import AppConfig


class ContextsConfig(AppConfig):
    name = "contextapp.contexts"

    def ready(self) -> None:
        from contextapp.contexts import services
        from contextapp.eventlog import erasure
        from contextapp.jobs import registry

        erasure.register(services.purge_session)
        registry.register(services.SIMULATE_SESSION, services.simulate_session_job)
        registry.register(services.INDEX_SESSION, services.index_session_job)
        registry.register(services.COUNTERFACTUAL, services.counterfactual_job)
