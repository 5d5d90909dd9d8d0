from __future__ import annotations

from django.apps import AppConfig


class CompactionConfig(AppConfig):
    name = "contextapp.compaction"

    def ready(self) -> None:
        from contextapp.compaction import services
        from contextapp.eventlog import erasure
        from contextapp.jobs import registry

        erasure.register(services.purge_session)
        registry.register(services.COMPACT, services.compact_job)
